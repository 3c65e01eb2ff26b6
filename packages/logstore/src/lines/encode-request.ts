import type { LogInput } from '../entry/log-entry.ts';

/**
 * Returns the JSON of a request's entry, equal to that of `JSON.stringify`. A template is faster, and every request
 * makes an entry.
 */
export function encodeRequest(input: LogInput & Required<Pick<LogInput, 'httpRequest'>>): string {
  const { method, url, status, latencyMs, requestSize, responseSize, ...rest } = input.httpRequest;
  const { remoteIp, userAgent, protocol, coldStart, resume } = rest;
  let text = `{"logName":"${input.logName}","severity":"${input.severity}","message":${quote(input.message)}`;
  text += `,"httpRequest":{"method":${quote(method)},"url":${quote(url)},"status":${status},"latencyMs":${latencyMs}`;
  text += `,"requestSize":${requestSize},"responseSize":${responseSize},"remoteIp":${quote(remoteIp)}`;
  text += `,"userAgent":${quote(userAgent)},"protocol":${quote(protocol)}`;
  if (coldStart !== undefined) text += `,"coldStart":${JSON.stringify(coldStart)}`;
  if (resume !== undefined) text += `,"resume":${JSON.stringify(resume)}`;
  text += '}';
  if (input.revision !== undefined) text += `,"revision":${quote(input.revision)}`;
  if (input.trace !== undefined) text += `,"trace":${quote(input.trace)}`;
  if (input.instance !== undefined) text += `,"instance":${quote(input.instance)}`;
  return `${text}}`;
}

/** Characters that JSON escapes, and all beyond ASCII: texts with one go to `JSON.stringify`. */
const NOT_PLAIN = /[^\x20\x21\x23-\x5b\x5d-\x7e]/;

function quote(text: string): string {
  return NOT_PLAIN.test(text) ? JSON.stringify(text) : `"${text}"`;
}
