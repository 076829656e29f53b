-- Tables, strings, closures, coroutines, floating point, errors; for lua and luajit alike.
local function sieve(n)
  local composite, primes = {}, {}
  for i = 2, n do
    if not composite[i] then
      primes[#primes + 1] = i
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return primes
end
print(#sieve(SIZE or 300000))

local words = {}
for line in io.lines("text") do
  for word in line:gmatch("%a+") do words[word] = (words[word] or 0) + 1 end
end
local names = {}
for word in pairs(words) do names[#names + 1] = word end
table.sort(names, function(a, b) return words[a] > words[b] or (words[a] == words[b] and a < b) end)
for i = 1, 10 do print(names[i], words[names[i]]) end

local generator = coroutine.wrap(function()
  local a, b = 0, 1
  while true do
    coroutine.yield(a)
    a, b = b, (a + b) % 1000003
  end
end)
local sum = 0
for _ = 1, 100000 do sum = sum + generator() end
print(sum)

local x = 0.5
for i = 1, 1000000 do x = 3.7 * x * (1 - x) + (i % 7) * 1e-9 end
print(string.format("%.14g", x))

local failed = 0
for i = 1, 20000 do
  if not pcall(function() if i % 3 == 0 then error("x" .. i) end end) then failed = failed + 1 end
end
print(failed, collectgarbage("count") > 0)
os.exit(5)
