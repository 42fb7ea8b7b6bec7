interface Props {
  readonly what: string;
  readonly error: Error;
  readonly onAgain: () => void;
}

/** A failed read: what happened, and that trying again is safe. */
export function ReadFailed({ what, error, onAgain }: Props) {
  return (
    <div className="card open part" role="alert">
      <p>
        <b>{what} could not be read.</b> {error.message}
      </p>
      <p className="soft">Reading changes nothing: it is safe to try again.</p>
      <button type="button" onClick={onAgain}>
        Read again
      </button>
    </div>
  );
}
