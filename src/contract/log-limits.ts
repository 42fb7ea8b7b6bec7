/** The longest line that a server keeps (F89). */
const MAX_LINE_CHARS = 16 * 1024;

/**
 * The longest line that is sent. It exceeds what is kept by more than the longest secret that is recognised by its form:
 * a server redacts before it cuts, and half a secret at the end of what was sent is cut off there (S15). The rest of a
 * line is dropped. Rejected: sending it as further lines, which would begin with the other half.
 */
export const SENT_LINE_CHARS = MAX_LINE_CHARS + 512;
