/** A name and a password, as they stand in the header of Basic authentication. */
const USER_AND_SECRET = /^[\w.@+-]{1,64}:[\x21-\x7e]{6,256}$/;
const RUN = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{12,500}={0,2}/g;
/** Shorter pieces turn up by chance. */
const SHORTEST_PIECE = 7;

/** Replaces base64 of `user:secret`, whatever the secret is. */
export function replaceEncodedPairs(text: string, marker: string): string {
  return text.replace(RUN, (run) => (isEncodedPair(run) ? marker : run));
}

function isEncodedPair(run: string): boolean {
  const first = Buffer.from(run.slice(0, 4), 'base64').toString('latin1');
  // Most words and digests end here: their first bytes are no letters.
  return (
    /^[\w.@+-]{1,3}:?/.test(first) && USER_AND_SECRET.test(Buffer.from(run, 'base64').toString('latin1'))
  );
}

/**
 * The pieces of base64 that a value leaves in the base64 of any text around it: one for each place it can begin at in a
 * group of three bytes. The characters at its edges also depend on the bytes beside it, and are left out.
 */
export function encodedPieces(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const piece = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return piece.length < SHORTEST_PIECE ? [] : [piece, piece.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

const IN_RUN = /[A-Za-z0-9+/_=-]/;

/** Replaces each run of base64 that has one of the pieces in it. */
export function replaceRuns(text: string, piece: string, marker: string): string {
  let result = text;
  for (let at = result.indexOf(piece); at !== -1; at = result.indexOf(piece, at + 1)) {
    let [from, to] = [at, at + piece.length];
    while (from > 0 && IN_RUN.test(result.charAt(from - 1))) from -= 1;
    while (to < result.length && IN_RUN.test(result.charAt(to))) to += 1;
    result = result.slice(0, from) + marker + result.slice(to);
    at = from + marker.length - 1;
  }
  return result;
}
