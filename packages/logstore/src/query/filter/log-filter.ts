import type { DerivedField, FilterField, NumberField, TextField } from './filter-field.ts';
import type { NetworkTest } from './ip-network.ts';
import type { SearchPhrase } from './search-phrases.ts';

/** How two values are ordered or equal. */
export type OrderOperator = '=' | '<' | '<=' | '>' | '>=';

/** A test of a text as it is. */
export type ExactTest =
  /** RE2; minds the case. */
  | { readonly operator: '=~'; readonly pattern: string }
  | NetworkTest
  /** The first eight hex digits of the text's MD5 are before these; undefined when every text passes. */
  | { readonly operator: 'sample'; readonly before: string | undefined };

/** What a text is tested for; one that is compared is folded, see `foldCase`. */
export type TextTest = { readonly operator: OrderOperator | ':'; readonly text: string } | ExactTest;

/** What a value of a JSON payload is tested for: the literal reads as text, and as a number or boolean where it is one. */
export type PayloadTest =
  | {
      readonly operator: OrderOperator | ':';
      readonly text: string;
      readonly number?: number;
      readonly boolean?: boolean;
      /** Folded as it stands inside JSON text. */
      readonly jsonText: string;
    }
  | ExactTest
  | { readonly operator: 'null' };

/** A claim about one entry. */
export type Condition =
  | { readonly kind: 'text'; readonly field: TextField | DerivedField; readonly test: TextTest }
  | {
      readonly kind: 'number';
      readonly field: NumberField | DerivedField;
      readonly operator: OrderOperator;
      readonly value: number;
    }
  /** No entry fits. */
  | { readonly kind: 'nothing' }
  /** `value` is a timestamp of the log. */
  | { readonly kind: 'time'; readonly operator: OrderOperator; readonly value: string }
  /** Places in `SEVERITIES` that fit. */
  | { readonly kind: 'severity'; readonly ranks: readonly number[] }
  | { readonly kind: 'payload'; readonly path: readonly string[]; readonly test: PayloadTest }
  | { readonly kind: 'present'; readonly field: FilterField }
  /** The JSON text of an object holds this. Folded. */
  | { readonly kind: 'object'; readonly field: FilterField; readonly jsonText: string }
  /** Some field holds this, or is it where it is a name or an id. Folded. */
  | { readonly kind: 'anywhere'; readonly text: string; readonly jsonText: string }
  /** Every phrase is found in the text of the field, or in that of any when there is none. */
  | { readonly kind: 'search'; readonly field?: FilterField; readonly phrases: readonly SearchPhrase[] };

/** A log filter as a tree; made by `parseFilter`. Two evaluators read it: `createPredicate` and `toSql`. */
export type LogFilter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly LogFilter[] }
  | { readonly kind: 'not'; readonly term: LogFilter }
  | Condition;
