-- A mixed program: parse, compile and run generated source; strings, patterns, tables, sort, closures, coroutines.
local rounds = tonumber(arg[1]) or 20
local seed = 12345
local function rnd(n) seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n + 1 end
local words = {}
for i = 1, 200 do local t = {} for j = 1, rnd(8) + 2 do t[j] = string.char(96 + rnd(26)) end words[i] = table.concat(t) end
local total = 0
local Account = {}; Account.__index = Account
function Account.new(n) return setmetatable({name = n, sum = 0, log = {}}, Account) end
function Account:add(v) self.sum = self.sum + v; self.log[#self.log + 1] = v; return self end
Account.__add = function(a, b) return a.sum + b.sum end
Account.__tostring = function(a) return a.name .. "=" .. a.sum end
Account.__lt = function(a, b) return a.name < b.name end
local function gen(n)
  local out = {}
  for i = 1, n do
    out[#out + 1] = string.format("local %s_%d = function(a, b) if a > b then return a - %d else return (a + b) %% %d end end", words[rnd(200)], i, rnd(99), rnd(99) + 1)
  end
  out[#out + 1] = "local t = {} for i = 1, 10 do t[i] = i * i // 3 end return #t + (t[3] & 7) ~ 5"
  return table.concat(out, "\n")
end
local function json(v, out)
  if type(v) == "table" then
    if v[1] ~= nil then out[#out+1] = "["; for i, x in ipairs(v) do if i > 1 then out[#out+1] = "," end json(x, out) end out[#out+1] = "]"
    else out[#out+1] = "{"; local ks = {} for k in pairs(v) do ks[#ks+1] = k end table.sort(ks)
      for i, k in ipairs(ks) do if i > 1 then out[#out+1] = "," end out[#out+1] = string.format("%q:", k); json(v[k], out) end out[#out+1] = "}" end
  else out[#out+1] = type(v) == "string" and string.format("%q", v) or tostring(v) end
  return out
end
for round = 1, rounds do
  local f = assert(load(gen(12)))
  total = total + f()
  local text = {}
  for i = 1, 60 do text[i] = words[rnd(200)] end
  local line = table.concat(text, " ")
  for w, r in line:gmatch("(%a)(%a*)") do total = total + #r end
  line = line:gsub("%f[%a](%a)(%a*)", function(a, b) return a:upper() .. b:reverse() end)
  total = total + (line:find("a[b-y]z?", 1) or 0) + select(2, line:gsub("[aeiou]", "%0%0"))
  local accounts = {}
  for i = 1, 20 do accounts[i] = Account.new(words[rnd(200)] .. i):add(rnd(100)):add(rnd(10) / 3) end
  table.sort(accounts)
  total = total + (accounts[1] + accounts[2])
  local co = coroutine.wrap(function() for i = 1, 12 do coroutine.yield(i * 1.5) end return 0 end)
  for i = 1, 13 do total = total + co() end
  local data = {name = words[rnd(200)], list = {1, 2.5, "three", {a = 1, b = {true, false}}}, n = round}
  total = total + #table.concat(json(data, {}))
  local ok, err = pcall(function() if round % 3 == 0 then error({code = round}) end; return tostring(accounts[1]) end)
  total = total + (ok and #err or err.code)
  local p = string.pack("<i4d", round, round / 7); local a, b = string.unpack("<i4d", p); total = total + a + math.floor(b)
  total = total + #(utf8.char(228, 8364, round + 200)) + math.fmod(round * 7.5, 3) + math.tointeger(2^10 // 3)
  table.move(accounts, 1, 10, 5); total = total + select("#", table.unpack(accounts, 1, 7))
  local m = {} for i = 1, 30 do m[words[rnd(200)]] = i end
  for k, v in pairs(m) do total = total + v; m[k] = nil end
end
print(string.format("%.6f", total))
