// Byte-pair encoding on bytes, as `scratch.tokenization` has it (chapter 1).

// GPT-2's printable characters for the 256 bytes, and back.
const printable = byte => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
let next = 256;
const alphabet = Array.from({ length: 256 }, (_, byte) =>
  String.fromCharCode(printable(byte) ? byte : next++));
const bytes = new Map(alphabet.map((character, byte) => [character, byte]));
const WORD = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

// The vocabulary, merges in the order of learning, and the token that ends a text.
export function newBytePair({ vocab, merges, end }) {
  const ids = new Map(vocab.map((token, id) => [token, id]));
  const ranks = new Map(merges.map((pair, rank) => [pair.join(" "), rank]));

  // The tokens of a word: merge the pair that was learned earliest, until none is left.
  function tokensOf(word) {
    const symbols = [...new TextEncoder().encode(word)].map(byte => alphabet[byte]);
    for (;;) {
      const found = symbols.slice(1).map((symbol, place) =>
        ranks.get(`${symbols[place]} ${symbol}`) ?? Infinity);
      const best = Math.min(...found);
      if (best === Infinity) return symbols;
      for (let place = 0; place < symbols.length - 1; place++) {
        if (ranks.get(`${symbols[place]} ${symbols[place + 1]}`) === best) {
          symbols.splice(place, 2, symbols[place] + symbols[place + 1]);
        }
      }
    }
  }

  const bytesOf = id => (vocab[id] === end ? [] : [...vocab[id]].map(c => bytes.get(c)));

  return {
    end: ids.get(end),
    encode: text => text.split(end).flatMap((part, i) => [
      ...(i ? [ids.get(end)] : []),
      ...(part.match(WORD) ?? []).flatMap(tokensOf).map(token => ids.get(token)),
    ]),
    // Part of a character, which a single token may be, becomes �.
    decode: list => new TextDecoder("utf-8", { ignoreBOM: true })
      .decode(Uint8Array.from(list.flatMap(bytesOf))),
    // The text of each token. A character made of several tokens goes to the first of them,
    // and a byte that belongs to no character is written as its number: <0xE2>.
    pieces(list) {
      const all = list.map(bytesOf), texts = list.map(() => ""), strict = { fatal: true, ignoreBOM: true };
      const owners = all.flatMap((some, place) => some.map(() => place)), row = all.flat();
      for (let at = 0, size; at < row.length; at += size) {
        size = row[at] < 0xc0 ? 1 : row[at] < 0xe0 ? 2 : row[at] < 0xf0 ? 3 : 4;
        try {
          texts[owners[at]] += new TextDecoder("utf-8", strict).decode(Uint8Array.from(row.slice(at, at + size)));
        } catch {
          size = 1;
          texts[owners[at]] += `<0x${row[at].toString(16).toUpperCase()}>`;
        }
      }
      return texts;
    },
  };
}
