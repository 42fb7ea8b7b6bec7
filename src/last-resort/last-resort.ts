let survived = 0;

/** The uncaught errors that ended one exchange and not this process. */
export const survivedErrors = (): number => survived;

/** Codes that Node gives to errors about the bytes of one connection or one stream. */
const OF_ONE_EXCHANGE =
  /^(?:HPE_|ERR_HTTP|ERR_STREAM_|ERR_INVALID_(?:CHAR|HTTP_TOKEN)$|ERR_UNESCAPED_CHARACTERS$|Z_)/;

/**
 * True if an uncaught error is about one connection, one file or one message: the kernel refused a call, or bytes from
 * outside did not fit. The work that met it has ended; nothing that other work relies on was half changed. Everything else
 * is a defect of unknown reach.
 */
export function isOfOneExchange(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  // `listen` failed: a part of this process would never answer.
  if (syscall === 'listen') return false;
  return syscall !== undefined || OF_ONE_EXCHANGE.test(code ?? '');
}

/** Logged in full; after that many within a minute only counted, so that nobody fills the log with them. */
const LOGGED = 20;

/**
 * Keeps one bad exchange from ending a process that supervises others (F120, docs/adr/0015-uncaught-errors.md). Every
 * boundary handles its own errors; this is for the one that does not.
 */
export function surviveExchanges(
  log: (error: Error) => void,
  end: (error: unknown) => void = exit,
): () => void {
  let logged = 0;
  const onError = (error: unknown) => {
    if (!isOfOneExchange(error)) return end(error);
    survived += 1;
    logged += 1;
    if (logged <= LOGGED) log(error as Error);
  };
  const minute = setInterval(() => {
    logged = 0;
  }, 60_000);
  minute.unref();
  process.on('uncaughtException', onError);
  return () => {
    clearInterval(minute);
    process.off('uncaughtException', onError);
  };
}

/** As Node would: the supervisor of this process starts it again, and what runs is adopted. */
function exit(error: unknown): void {
  console.error(error);
  process.exit(1);
}
