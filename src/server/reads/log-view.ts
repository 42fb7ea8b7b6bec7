import type { Caller } from '../../access/caller.ts';
import { seesDetail } from '../../access/roles.ts';
import type { LogLine } from '../../logs/log-line.ts';
import { redactName } from '../../redact/redact.ts';
import type { SecretValues } from '../../redact/secret-values.ts';

/**
 * The view of a line for a caller. The instance distinguishes lines: it is stored as received, and shown redacted
 * (S15). The lease that the line was written under is detail for operators.
 */
export function logView({ role }: Caller, secrets: SecretValues): (line: LogLine) => object {
  const withName = (line: LogLine) =>
    line.instance === null ? line : { ...line, instance: redactName(line.instance, secrets) };
  return seesDetail(role) ? withName : (line) => withoutLease(withName(line));
}

function withoutLease({ command: _command, fence: _fence, epoch: _epoch, ...line }: LogLine): object {
  return line;
}
