import { SEVERITIES, type Severity } from '@berth/contract';
import { decodeLine, jsonOfLine } from './record-line.ts';

/** Bytes that hold a line's time and severity, where its writer put them first. */
const HEAD_BYTES = 120;
const HEAD = /^\{"timestamp":"([^"]{30})","logName":"[a-z]+","severity":"([A-Z]+)"/;

/** The time and severity of a line (newline included), of most without parsing its JSON; undefined when it is not whole. */
export function readLineHead(line: Buffer): { readonly timestamp: string; readonly severity: Severity } | undefined {
  const json = jsonOfLine(line);
  if (!json) return undefined;
  const [, timestamp, severity] = HEAD.exec(json.toString('latin1', 0, HEAD_BYTES)) ?? [];
  if (timestamp === undefined || !SEVERITIES.includes(severity as Severity)) return decodeLine(line);
  return { timestamp, severity: severity as Severity };
}
