import { Link } from 'wouter';

/** The list of somebody who has deployed nothing yet. */
export function NoServices() {
  return (
    <div className="card empty">
      <p>Nothing is deployed yet. In a folder with an app:</p>
      <pre>evident deploy</pre>
      <p className="soft">
        What a state means, and what proves it: <Link href="/model">the model</Link>.
      </p>
    </div>
  );
}
