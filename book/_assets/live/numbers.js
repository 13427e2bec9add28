// The number words of chapter 9, in English and German, from 0 to 999,999.

const ENGLISH = ("zero one two three four five six seven eight nine ten eleven twelve thirteen " +
  "fourteen fifteen sixteen seventeen eighteen nineteen").split(" ");
const ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const GERMAN = ("null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn " +
  "vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn").split(" ");
const GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split(" ");
const parts = (number, size) => [Math.floor(number / size), number % size];

// 434 → four, hundred, thirty, four
export function english(number) {
  if (number < 20) return [ENGLISH[number]];
  const [size, name] = number >= 1000 ? [1000, "thousand"] : [100, "hundred"];
  const [high, low] = parts(number, number < 100 ? 10 : size);
  const rest = low ? english(low) : [];
  return number < 100 ? [ENGLISH_TENS[high - 2], ...rest] : [...english(high), name, ...rest];
}

// 434 → vierhundertvierunddreißig; 1 at the end is eins.
export function german(number) {
  const before = count => {
    if (count < 20) return GERMAN[count];
    const [high, low] = parts(count, count >= 1000 ? 1000 : count >= 100 ? 100 : 10);
    if (count < 100) return (low ? `${GERMAN[low]}und` : "") + GERMAN_TENS[high - 2];
    return before(high) + (count < 1000 ? "hundert" : "tausend") + (low ? before(low) : "");
  };
  return before(number) + (number % 100 === 1 ? "s" : "");
}

// What a reader typed, digits or words → the English words, and the number if it is one.
export function understand(typed) {
  const digits = typed.trim().replace(/[,.\s](?=\d{3}(\D|$))/g, "");
  if (/^\d{1,6}$/.test(digits)) return { words: english(Number(digits)), number: Number(digits) };
  if (/\d/.test(typed)) throw new RangeError(`${typed.trim()} is not a number from 0 to 999,999`);
  const words = typed.toLowerCase().split(/[^\p{L}]+/u).filter(word => word && word !== "and");
  return { words, number: numberOf(words) };
}

// The number that the words say; undefined for words in another order.
function numberOf(words) {
  let total = 0, part = 0;
  for (const word of words) {
    const tens = ENGLISH_TENS.indexOf(word), units = ENGLISH.indexOf(word);
    if (word === "thousand") [total, part] = [1000 * part, 0];
    else if (word === "hundred") part *= 100;
    else part += tens >= 0 ? 10 * (tens + 2) : units;
  }
  const number = total + part;
  const same = number >= 0 && number < 1e6 && `${english(number)}` === `${words}`;
  return same ? number : undefined;
}
