import type { SimulatedRandom } from '../../../../simulation/simulated-random.ts';

/** Patterns that show a rule of the syntax each. */
const written = String.raw`.*
orders
orders.*
orders\..*
^orders$
(orders|payments)-[0-9]+
[a-z]+
[^a-z]+
[[:alpha:]]+
[[:^alpha:]]+
[[:foo:]]
\d+
\w+
\W+
\s
\D+
\pL+
\p{Lu}+
\p{Greek}+
\P{Lu}+
\p{^Lu}+
\pN
\p{Foo}
\p
\p{
\pX
(?i)ORDERS
(?i:Ord)ers
(?s).*
(?m)^a$
(?U)a+
(?x)a
(?i
(?P<name>a)
(?<name>a)
(?P<n>a)(?P<n>b)
(?P<n!>a)
(?P=name)
(?:a|b)
(?=a)
(?!a)
(?<=a)
(?<!a)
(a)\1
\1
\0
\07
\x41
\x{41}
\x{110000}
\x{zz}
\x4
\a\f\t\n\r\v
\Qa.b\E
\Qa.b
\E
\C
\A
\z
\Z
\b
\B
\G
\k<n>
\R
\X
\h
a**
a*+
a+*
a??
a?*
a{2}
a{2,}
a{2,3}
a{3,2}
a{1001}
a{1000}
a{0}
a{,2}
a{2
a{-1}
a{2}{3}
(a{2}){3}
a{99999999999}
((a{10}){10}){10}
(a*){1000}
(a?){1000}
((a?){100}){10}
(a|b|c|d){1000}
x{2}{2}{2}{2}
(a+)+$
(a|a)*b
(a|aa)+$
(.*a){20}
[a
a]
[]a]
[^]a]
[]
[^]
[a-]
[-a]
[a-z-9]
[z-a]
[a-\d]
[\d-z]
[\]]
[\w.-]+
[[a]]
[[.a.]]
[[=a=]]
[a&&b]
[\Qa\E]
[\x{0}-\x{10FFFF}]
[^\x00-\x{10FFFF}]
(
)
(()
a)b
(?)
(?:
(?
(?P<
(?P<>a)
*
+a
?
|
a|
|a
a||b
(|a)
{
}
{1}
{1,2}
a{}
\
a\
\8
\9
\e
\i
\_
\-
\.
\/
\@
$
^
^^
$$
a$b
a^b
^*
$*
(^)*
(?i)[k]
(?i)ſ
(?i)K
[[:word:]]+
[[:upper:]-z]
[:alpha:]
é
日本.*
\p{Han}+
😀
[😀-😂]
.
..
(?i)straße
(?-i)a
(?i-s:a)
(?ii)a
(?i-)a
(?-)a
(?^)a
(?i)(?-i)A
((((((((((a))))))))))
a.c
a\nb
\pZ
\p{L}
\p{IsL}
\p{Script=Greek}
\p{Alphabetic}
\p{Any}
\p{any}
\p{Latin}+
\p{Cyrillic}
\pLl
(?#comment)
(?>a)
a++
a?+
a*?
a+?
a{2}?
a{2,3}?
a{2}+
\cA
\u0041
\N
\N{1}
\o{1}
\d{2}-\d{3}
test-(?:a|b|c)+-\d{1,3}
__.*
[^_].*
(?!__).*
prod\.(eu|us)\.[a-z0-9_-]{1,32}
[\p{Lu}\d]+
[^\p{Lu}\d]+
[\pL]
[\pX]
[a-z&&[^b]]
[a\-z]
[\-]
[--a]
[+--]
[a-c-e]
[\a]
[\b]
[\B]
[\8]
[\1]
[\07]
[\x{41}-\x{43}]
[\Q]\E]
a{1}{1001}
(?:a{500}){3}
(?:a{2}){501}
(?:(?:a{10}){10}){11}
a{1000}{1}
(?i)a{1000}
\p{Lu}{1000}
(\pL{100}){10}
(\pL{1000})
.{1000}
(.{0,1000})
(.{0,1000}){2}
(.{0,31}){31}
(?:x?){500}x{500}`;

/** Made of many pieces. */
const large: readonly string[] = [
  'a'.repeat(2000),
  `${'('.repeat(999)}a${')'.repeat(999)}`,
  `${'(a|'.repeat(300)}b${')'.repeat(300)}`,
  'a\u0000b',
];

export const writtenPatterns: readonly string[] = [...written.split('\n'), ...large];

const atoms =
  String.raw`a b c ab . [a-c] [^a] \d \w \pL x - _ \. (a) (?:b) [[:alpha:]] ^ $ \b \B é \x41 \Qa+\E (?i) (?s) \u212a ſ 0 1 \p{Lu} \PN [^\w] [-\d] K s`
    .replace(String.raw`\u212a`, '\u212a')
    .split(' ');
const quantifiers: readonly string[] = ['', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,1}', '{2,}', '{3}?'];
const openings: readonly string[] = ['(', '(?:', '(?i:', '(?s:', '(?U:', '(?m:', '(?-i:', '(?i-s:'];
const classPieces =
  String.raw`a z A Z - ] [ ^ \d \W \s \pL \P{Lu} \p{^Greek} [:alpha:] [:^digit:] [:word:] [:foo:] \] \- \x41 \07 é ſ 0-9 a-f A-z \n . \b`.split(
    ' ',
  );
const noise = [...Array.from(String.raw`()[]{}*+?|\^$.ab12,-:P<>ipLdxQEkK!=zA&`), '[:', ':]', '(?', '\\p{', '[^', '{2,', '\\x{'];
const textPieces: readonly string[] = ['a', 'b', 'c', 'A', 'B', 'x', '-', '_', '.', '1', '0', 'ab', 'k', 'S', '\n', ' ', ']'];

/** Texts to try patterns on. */
export function randomTexts(random: SimulatedRandom, count: number): readonly string[] {
  const texts = new Set([
    '',
    'orders',
    'orders-1',
    'ORDERS',
    'payments-22',
    '__consumer_offsets',
    'prod.eu.x-1',
    'test-a-12',
    '{1}',
    'a{,2}',
    '\u0000',
  ]);
  for (let code = 0x20; code < 0x7f; code++) texts.add(String.fromCharCode(code));
  for (let index = 0; index < count; index++) texts.add(pieces(random, textPieces, 8));
  return [...texts];
}

/** Patterns that are right, for the most part, and such that are noise, for the most part. */
export function randomPatterns(random: SimulatedRandom, count: number): readonly string[] {
  return Array.from({ length: count }, () => {
    switch (random.integer(4)) {
      case 0:
        return expression(random, 3);
      case 1:
        return pieces(random, noise, 8);
      case 2:
        return mutated(random, expression(random, 2));
      default:
        return characterClass(random) + random.pick(quantifiers);
    }
  });
}

function expression(random: SimulatedRandom, depth: number): string {
  let text = '';
  for (let count = 1 + random.integer(4); count > 0; count--) {
    const isGroup = depth > 0 && random.oneIn(3);
    text += isGroup ? `${opening(random)}${expression(random, depth - 1)})` : atom(random);
    text += random.pick(quantifiers);
  }
  return random.oneIn(4) ? `${text}|${expression(random, Math.max(0, depth - 1))}` : text;
}

function opening(random: SimulatedRandom): string {
  return random.oneIn(9) ? `(?P<n${random.integer(100)}>` : random.pick(openings);
}

function atom(random: SimulatedRandom): string {
  return random.oneIn(6) ? characterClass(random) : random.pick(atoms);
}

function characterClass(random: SimulatedRandom): string {
  return `${random.pick(['[', '[', '[^', '(?i)['])}${pieces(random, classPieces, 5)}]`;
}

function mutated(random: SimulatedRandom, text: string): string {
  const at = random.integer(text.length + 1);
  return random.oneIn(2) ? text.slice(0, at) + random.pick(noise) + text.slice(at) : text.slice(0, at) + text.slice(at + 1);
}

function pieces(random: SimulatedRandom, choices: readonly string[], most: number): string {
  return Array.from({ length: 1 + random.integer(most) }, () => random.pick(choices)).join('');
}
