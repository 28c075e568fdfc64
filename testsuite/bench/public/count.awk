# Words, those of some forms, and a checksum of the numbers.
{ for (i = 3; i <= NF; i++) {
    count[$i]++
    if ($i ~ /^[aeiou].*[lrst]e?[nd]$/) forms++
    else if ($i ~ /(th|ch|sh)[aeiou]+|(.)*ss/) others++ }
  if ($2 ~ /7.*3/) odd++
  if ($0 ~ /th(e|a|o).*[st](o|i)[a-f]+ .*er? [0-9]*a/) lines++
  for (i = 0; i < 20; i++) x = (x * 16807 + $2) % 2147483647 }
END { for (word in count) { n++; if (count[word] > best || count[word] == best && word < best_word) { best = count[word]; best_word = word } }
  print n, best_word, best, forms, others, odd, lines, x }
