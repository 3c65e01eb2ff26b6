/**
 * UTF-8 as a string with one character per byte. Such strings compare with `<` in the order of the bytes, which is the
 * order of listings, and take a fraction of a Buffer each: a folder may have a million names.
 */
export type ByteString = string & { readonly __bytes: true };

// Most names are ASCII, which is the same in both forms.
const NOT_ASCII = /[^\0-\x7f]/;

export function toBytes(text: string): ByteString {
  return (NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text) as ByteString;
}

/** Returns the text; undefined for invalid UTF-8. */
export function toText(bytes: ByteString): string | undefined {
  if (!NOT_ASCII.test(bytes)) return bytes;
  const text = Buffer.from(bytes, 'latin1').toString();
  return toBytes(text) === bytes ? text : undefined;
}

export function join(base: ByteString, key: ByteString): ByteString {
  return (base + key) as ByteString;
}
