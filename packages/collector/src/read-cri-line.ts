/** A line of a container's log file. */
export interface CriLine {
  readonly timeMs: number;
  readonly stream: 'stdout' | 'stderr';
  /** The content, with a line feed unless the runtime split the line here. */
  readonly content: Buffer;
}

const SPACE = 0x20;
const LINE_FEED = Buffer.from('\n');

/**
 * Parses a line of a log file: `<RFC 3339 time> <stream> <tags> <content>`. The tag `P` marks a part of a line, `F` its last part. Returns undefined
 * for a line in any other format. Source: Kubernetes, CRI logging format (kubelet, pkg/kubelet/kuberuntime/logs).
 */
export function readCriLine(line: Buffer): CriLine | undefined {
  const afterTime = line.indexOf(SPACE);
  const afterStream = line.indexOf(SPACE, afterTime + 1);
  const afterTags = line.indexOf(SPACE, afterStream + 1);
  if (afterTime < 0 || afterStream < 0 || afterTags < 0) return undefined;
  const timeMs = Date.parse(line.toString('latin1', 0, afterTime));
  const stream = line.toString('latin1', afterTime + 1, afterStream);
  const [tag] = line.toString('latin1', afterStream + 1, afterTags).split(':');
  if (Number.isNaN(timeMs) || (stream !== 'stdout' && stream !== 'stderr')) return undefined;
  const content = line.subarray(afterTags + 1);
  return { timeMs, stream, content: tag === 'P' ? content : Buffer.concat([content, LINE_FEED]) };
}
