/** The columns of the table of targets. */
export function TargetsHead() {
  return (
    <>
      <caption className="visually-hidden">Targets</caption>
      <colgroup>
        <col className="wide" />
        <col />
        <col />
        <col />
        <col className="wide" />
        <col className="widest" />
        <col className="wide" />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">Target</th>
          <th scope="col">Agent</th>
          <th scope="col">Heard</th>
          <th scope="col">Last full look</th>
          <th scope="col">Services</th>
          <th scope="col">Trouble and work</th>
          <th scope="col">
            <span className="ends">
              <span>24 h ago</span> <span>now</span>
            </span>
          </th>
        </tr>
      </thead>
    </>
  );
}
