/** The longest address that SMTP accepts. Source: RFC 5321 section 4.5.3.1.3, without the angle brackets. */
const MAX_LENGTH = 254;

/**
 * Returns whether a text is one plain e-mail address. Stricter than RFC 5322: no quotes, comments, groups, spaces or control
 * characters, so that nothing in it can add a recipient or a header.
 */
export function isMailAddress(text: string): boolean {
  return text.length <= MAX_LENGTH && /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(text);
}
