import type { FilterField, NumberField, TextField } from './filter-field.ts';
import type { SearchPhrase } from './search-phrases.ts';

/** How two values are ordered or equal. */
export type OrderOperator = '=' | '<' | '<=' | '>' | '>=';

/** What a text is tested for. Texts are folded, see `foldCase`; a pattern is RE2 and minds the case. */
export type TextTest =
  | { readonly operator: OrderOperator | ':'; readonly text: string }
  | { readonly operator: '=~'; readonly pattern: string };

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
  | { readonly operator: '=~'; readonly pattern: string }
  | { readonly operator: 'null' };

/** A claim about one entry. */
export type Condition =
  | { readonly kind: 'text'; readonly field: TextField; readonly test: TextTest }
  | { readonly kind: 'number'; readonly field: NumberField; readonly operator: OrderOperator; readonly value: number }
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
