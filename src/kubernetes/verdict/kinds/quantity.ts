const POWERS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The number that a quantity such as `10Gi`, `500m` or `1e3` stands for; null where it is none. */
export function quantity(text: string | null): number | null {
  const [, digits, exponent = '', suffix = ''] =
    /^([+-]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18}))(?:([eE][+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i)?)$/.exec(
      text ?? '',
    ) ?? [];
  const power = POWERS[suffix];
  return digits === undefined || power === undefined ? null : Number(`${digits}${exponent}`) * power;
}
