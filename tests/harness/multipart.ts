/** A part of a form, written as given. */
export interface FormPart {
  readonly name: string;
  readonly body: string | Buffer;
  readonly filename?: string;
}

/** The boundary of {@link multipart}. */
export const BOUNDARY = 'berth-test-boundary';

/** A `multipart/form-data` body whose parts come in this order. Source: RFC 7578. */
export function multipart(parts: readonly FormPart[]): Buffer {
  return Buffer.concat([...parts.map(encodePart), Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** One part, with the line that opens it. */
export function encodePart({ name, body, filename }: FormPart): Buffer {
  const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: application/gzip`;
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body as string), Buffer.from('\r\n')]);
}
