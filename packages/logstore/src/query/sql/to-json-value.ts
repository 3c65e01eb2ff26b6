import { type DuckDBType, DuckDBTypeId, type DuckDBValue, JsonDuckDBValueConverter } from '@duckdb/node-api';

/** A value of a row, as JSON. */
export type SqlValue = null | boolean | number | string | readonly SqlValue[] | { readonly [key: string]: SqlValue };

const NANOS_PER_SECOND = 1_000_000_000n;

/**
 * Converts a DuckDB value to JSON. Source: docs/contract/control-plane.md §7. Times are RFC 3339 in UTC. Whole numbers
 * that JavaScript can't represent exactly become text, and so do numbers that JSON can't. JSON stays JSON.
 */
export function toJsonValue(value: DuckDBValue, type: DuckDBType): SqlValue {
  if (value === null) return null;
  switch (type.typeId) {
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.UBIGINT:
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
      return integer(value as bigint);
    case DuckDBTypeId.FLOAT:
    case DuckDBTypeId.DOUBLE:
      return Number.isFinite(value) ? (value as number) : String(value);
    case DuckDBTypeId.DECIMAL:
      return decimal(String(value));
    case DuckDBTypeId.TIMESTAMP:
    case DuckDBTypeId.TIMESTAMP_TZ:
      return timestamp((value as { micros: bigint }).micros * 1_000n);
    case DuckDBTypeId.TIMESTAMP_NS:
      return timestamp((value as { nanos: bigint }).nanos);
    case DuckDBTypeId.TIMESTAMP_MS:
      return timestamp((value as { millis: bigint }).millis * 1_000_000n);
    case DuckDBTypeId.TIMESTAMP_S:
      return timestamp((value as { seconds: bigint }).seconds * NANOS_PER_SECOND);
    case DuckDBTypeId.VARCHAR:
      return type.alias === 'JSON' ? json(value as string) : (value as string);
    case DuckDBTypeId.BLOB:
      return Buffer.from((value as { bytes: Uint8Array }).bytes).toString('base64');
    case DuckDBTypeId.LIST:
    case DuckDBTypeId.ARRAY: {
      const { valueType } = type as unknown as { valueType: DuckDBType };
      return (value as unknown as { items: readonly DuckDBValue[] }).items.map((item) => toJsonValue(item, valueType));
    }
    case DuckDBTypeId.STRUCT: {
      const { entryNames, entryTypes } = type as unknown as { entryNames: string[]; entryTypes: DuckDBType[] };
      const { entries } = value as unknown as { entries: Readonly<Record<string, DuckDBValue>> };
      return Object.fromEntries(
        entryNames.map((name, index) => [
          name,
          toJsonValue(entries[name] as DuckDBValue, entryTypes[index] as DuckDBType),
        ]),
      );
    }
    default:
      return JsonDuckDBValueConverter(value, type, JsonDuckDBValueConverter) as SqlValue;
  }
}

function integer(value: bigint): SqlValue {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/** Returns a number when it loses no digit. */
function decimal(text: string): SqlValue {
  const digits = text.replace(/^-?0*|\.|0+$/g, '');
  return digits.length <= 15 ? Number(text) : text;
}

function json(text: string): SqlValue {
  try {
    return JSON.parse(text) as SqlValue;
  } catch {
    return text;
  }
}

/** Formats a timestamp with as many fractional digits as needed: none, three, six or nine. */
function timestamp(epochNanos: bigint): SqlValue {
  const nanos = ((epochNanos % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND;
  const seconds = (epochNanos - nanos) / NANOS_PER_SECOND;
  const date = new Date(Number(seconds) * 1_000);
  // Beyond the range of JavaScript dates, including infinity.
  if (Number.isNaN(date.getTime())) return epochNanos > 0n ? 'infinity' : '-infinity';
  const fraction = nanos
    .toString()
    .padStart(9, '0')
    .replace(/(?:000){1,3}$/, '');
  return `${date.toISOString().slice(0, -5)}${fraction === '' ? '' : `.${fraction}`}Z`;
}
