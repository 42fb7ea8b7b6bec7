const SIGNS: readonly (readonly [sign: string, meaning: string])[] = [
  ['dot', 'admitted'],
  ['proves', 'changed the claim'],
  ['ring', 'the claim cites it'],
  ['hollow', 'refused'],
  ['held', 'lease'],
  ['held lost', 'lease, not heard'],
  ['heard', 'agent heard'],
];

/** The signs of the drawing. */
export function Legend() {
  return (
    <ul className="legend" aria-label="Signs">
      {SIGNS.map(([sign, meaning]) => (
        <li key={sign}>
          <i className={`sign ${sign}`} /> {meaning}
        </li>
      ))}
    </ul>
  );
}
