# Objects, blocks, fibers, threads, bignums, a child.
words = Hash.new(0)
File.read("text").scan(/[a-z]+/) { |word| words[word] += 1 }
p words.sort_by { |word, count| [-count, word] }.first(10)
p (1..300).inject(:*) % 1_000_000_007
fiber = Fiber.new { a, b = 0, 1; loop { Fiber.yield a; a, b = b, a + b } }
p 500.times.map { fiber.resume }.last
p 8.times.map { |n| Thread.new { (1..20_000).inject { |s, i| (s * 31 + i + n) % 65_521 } } }.map(&:value)
puts `echo child`
exit 8
