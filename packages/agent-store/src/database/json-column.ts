/** A value as it is kept in a text column; undefined is NULL. */
export function toJsonColumn(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** What {@link toJsonColumn} wrote; undefined for NULL. */
export function fromJsonColumn<Value>(text: string | null): Value | undefined {
  return text === null ? undefined : (JSON.parse(text) as Value);
}
