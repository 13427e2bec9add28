// WordPiece after BERT's cleaning, as `scratch.tokenization` has it. What is an accent,
// a space or punctuation is looked up in a table that the book's build wrote: browsers
// know Unicode's newest tables, and the published tokenizer those of 2015.

const SPECIAL = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;
const LONGEST_WORD = 100;

export function newTokenizer({ vocab, kinds }) {
  const ids = new Map(vocab.map((token, id) => [token, id]));
  const tables = Object.entries(kinds).filter(([name]) => name !== "ideograph");

  const within = (code, ends) => {
    let low = 0, high = ends.length; // how many ends are not above the code
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] <= code) low = middle + 1; else high = middle;
    }
    return low % 2 === 1 || ends[low - 1] === code;
  };
  const known = new Map();
  const kindOf = character => {
    if (!known.has(character)) {
      const code = character.codePointAt(0);
      known.set(character, tables.find(([, ends]) => within(code, ends))?.[0]);
    }
    return known.get(character);
  };
  const standsAlone = character =>
    /^[!-/:-@[-`{-~]$/.test(character) ||
    (character > "\x7f" && kindOf(character) === "punctuation") ||
    kinds.ideograph.some((first, i, ends) =>
      i % 2 === 0 && first <= character.codePointAt(0) &&
      character.codePointAt(0) <= ends[i + 1]);

  function basicWords(text) {
    const cleaned = [...text]
      .map(c => "\t\n\r".includes(c) || kindOf(c) === "space" ? " " : c)
      .filter(c => kindOf(c) !== "removed" && c !== "\ufffd");
    return [...cleaned.join("").normalize("NFD")]
      .filter(c => kindOf(c) !== "accent")
      .flatMap(c => [...c.toLowerCase()])
      .map(c => standsAlone(c) ? ` ${c} ` : c)
      .join("").split(" ").filter(word => word !== "");
  }

  // The longest pieces in the vocabulary, from the left.
  function longestPieces(word) {
    const letters = [...word], pieces = [];
    if (letters.length > LONGEST_WORD) return ["[UNK]"];
    for (let start = 0, end; start < letters.length; start = end) {
      const prefix = start > 0 ? "##" : "";
      end = letters.length;
      while (end > start && !ids.has(prefix + letters.slice(start, end).join(""))) end--;
      if (end === start) return ["[UNK]"];
      pieces.push(prefix + letters.slice(start, end).join(""));
    }
    return pieces;
  }

  // A text → its tokens with [CLS] and [SEP], at most `most` of them, and their ids.
  return function tokenize(text, most = Infinity) {
    const pieces = text.split(SPECIAL).flatMap((part, i) =>
      i % 2 === 1 ? [part] : basicWords(part).flatMap(longestPieces));
    const tokens = ["[CLS]", ...pieces.slice(0, most - 2), "[SEP]"];
    return { tokens, ids: tokens.map(token => ids.get(token)), cut: pieces.length > most - 2 };
  };
}
