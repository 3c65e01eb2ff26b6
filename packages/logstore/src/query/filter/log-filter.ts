import type { DerivedField, NumberField, StoredField, TextField } from './filter-field.ts';
import type { NetworkTest } from './ip-network.ts';
import type { SearchPhrase } from './search-phrases.ts';

/** An order or equality comparison. */
export type OrderOperator = '=' | '<' | '<=' | '>' | '>=';

/** A test of a text as it is, without case folding. */
export type ExactTest =
  /** RE2 pattern; case-sensitive. */
  | { readonly operator: '=~'; readonly pattern: string }
  | NetworkTest
  /** True when the first eight hex digits of the text's MD5 sort before these; undefined matches every text. */
  | { readonly operator: 'sample'; readonly before: string | undefined };

/** A test of a text. Compared texts are folded; see `foldCase`. */
export type TextTest = { readonly operator: OrderOperator | ':'; readonly text: string } | ExactTest;

/**
 * A test of a value in a JSON payload. The literal is a text and, when it can be parsed as one, a number or boolean.
 */
export type PayloadTest =
  | {
      readonly operator: OrderOperator | ':';
      readonly text: string;
      readonly number?: number;
      readonly boolean?: boolean;
      /** The literal as it appears inside JSON text, folded. */
      readonly jsonText: string;
    }
  | ExactTest
  | { readonly operator: 'null' };

/** A condition on one entry. */
export type Condition =
  | { readonly kind: 'text'; readonly field: TextField | DerivedField; readonly test: TextTest }
  | {
      readonly kind: 'number';
      readonly field: NumberField | DerivedField;
      readonly operator: OrderOperator;
      readonly value: number;
    }
  /** Matches no entry. */
  | { readonly kind: 'nothing' }
  /** `value` is a timestamp of the log. */
  | { readonly kind: 'time'; readonly operator: OrderOperator; readonly value: string }
  /** Indexes in `SEVERITIES` that match. */
  | { readonly kind: 'severity'; readonly ranks: readonly number[] }
  | { readonly kind: 'payload'; readonly path: readonly string[]; readonly test: PayloadTest }
  | { readonly kind: 'present'; readonly field: StoredField }
  /** The JSON text of an object contains `jsonText`, which is folded. */
  | { readonly kind: 'object'; readonly field: StoredField; readonly jsonText: string }
  /** Some field contains the text, or equals it if it is a name or id. Both are folded. */
  | { readonly kind: 'anywhere'; readonly text: string; readonly jsonText: string }
  /** Every phrase occurs in the text of the field or, without a field, in any text. */
  | { readonly kind: 'search'; readonly field?: StoredField; readonly phrases: readonly SearchPhrase[] };

/** A log filter as a tree, made by `parseFilter` and compiled by `createPredicate` and `toSql`. */
export type LogFilter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly LogFilter[] }
  | { readonly kind: 'not'; readonly term: LogFilter }
  | Condition;
