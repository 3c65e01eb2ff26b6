import type { StoredEntry } from './log-entry.ts';

/** A value of a field, and how many entries have it. */
export interface SurveyedValue {
  readonly value: string | number | boolean;
  readonly entries: number;
}

export interface SurveyedField {
  /** The field as the filter language writes it, e.g. `jsonPayload.user.id`. */
  readonly name: string;
  /** Number of entries that have the field. */
  readonly entries: number;
  /** Most frequent first. Texts too long to choose from a list are left out. */
  readonly values: readonly SurveyedValue[];
  /** True when there are values that were not kept. */
  readonly hasMore: boolean;
}

/** The fields that entries have. */
export interface FieldSurvey {
  /** Number of entries that were read. */
  readonly entries: number;
  /** True when there are entries that were not read. */
  readonly isSampled: boolean;
  /** Most frequent first. */
  readonly fields: readonly SurveyedField[];
}

/** Maximum fields kept. JSON payloads that use ids as keys have any number of them. */
const FIELDS_MOST = 300;
/** Maximum values kept of a field. */
const VALUES_MOST = 200;
const VALUE_CHARACTERS = 200;
/** Bounds on how deep, and how many values of, one entry's JSON payload are read. */
const DEPTH_MOST = 6;
const ENTRY_VALUES_MOST = 200;
const LIST_VALUES_MOST = 20;

/** The parts of an entry that a tally reads. */
export type TalliedEntry = Pick<
  StoredEntry,
  'logName' | 'severity' | 'revision' | 'instance' | 'trace' | 'labels' | 'jsonPayload'
> & { readonly httpRequest?: Partial<NonNullable<StoredEntry['httpRequest']>> | undefined };

/** Counts the fields of entries and their values, in bounded memory. */
export interface FieldTally {
  readonly entries: number;
  add(entry: TalliedEntry): void;
  /** Adds the counts of another tally. */
  merge(survey: FieldSurvey): void;
  result(isSampled: boolean): FieldSurvey;
}

interface Counted {
  entries: number;
  readonly values: Map<string | number | boolean, number>;
  hasMore: boolean;
}

export function createFieldTally(): FieldTally {
  const fields = new Map<string, Counted>();
  let entries = 0;

  function fieldOf(name: string): Counted | undefined {
    let field = fields.get(name);
    if (!field && fields.size < FIELDS_MOST) {
      field = { entries: 0, values: new Map(), hasMore: false };
      fields.set(name, field);
    }
    return field;
  }

  function addValue(field: Counted, value: unknown, count: number): void {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return;
    const known = field.values.get(value);
    const isNew = known === undefined;
    if (isNew && (field.values.size >= VALUES_MOST || String(value).length > VALUE_CHARACTERS)) field.hasMore = true;
    else field.values.set(value, (known ?? 0) + count);
  }

  /**
   * Counts a value once per entry, though a list in the entry may hold it many times. `seen` has the values counted of
   * this entry.
   */
  function addField(name: string, value: unknown, seen: Map<string, Set<unknown>>): void {
    const values = seen.get(name) ?? new Set();
    const field = fieldOf(name);
    if (!field || values.has(value)) return;
    if (values.size === 0) field.entries++;
    values.add(value);
    seen.set(name, values);
    addValue(field, value, 1);
  }

  return {
    get entries() {
      return entries;
    },
    add(entry) {
      entries++;
      const seen = new Map<string, Set<unknown>>();
      for (const [name, value] of plainFields(entry)) {
        if (value !== undefined && value !== null) addField(name, value, seen);
      }
      let left = ENTRY_VALUES_MOST;
      const visit = (value: unknown, name: string, depth: number): void => {
        if (left <= 0 || depth > DEPTH_MOST) return;
        // The filter language reads lists like this: any scalar in the list may match; objects in it are addressed by
        // index.
        if (Array.isArray(value)) {
          for (const inner of value.slice(0, LIST_VALUES_MOST)) if (!isHolder(inner)) visit(inner, name, depth + 1);
          if (isHolder(value[0])) visit(value[0], `${name}.0`, depth + 1);
        } else if (isHolder(value)) {
          for (const [key, inner] of Object.entries(value)) visit(inner, `${name}.${writeSegment(key)}`, depth + 1);
        } else if (value !== undefined && value !== null) {
          left--;
          addField(name, value, seen);
        }
      };
      if (entry.jsonPayload) visit(entry.jsonPayload, 'jsonPayload', 0);
    },
    merge(survey) {
      entries += survey.entries;
      for (const { name, entries: count, values, hasMore } of survey.fields) {
        const field = fieldOf(name);
        if (!field) continue;
        field.entries += count;
        field.hasMore ||= hasMore;
        for (const value of values) addValue(field, value.value, value.entries);
      }
    },
    result: (isSampled) => ({
      entries,
      isSampled,
      fields: [...fields]
        .map(
          ([name, field]): SurveyedField => ({
            name,
            entries: field.entries,
            values: [...field.values].map(([value, count]) => ({ value, entries: count })).toSorted(byFrequency),
            hasMore: field.hasMore,
          }),
        )
        .toSorted((one, other) => other.entries - one.entries),
    }),
  };
}

/** Fields that every log has, except those that differ in each entry: times, ids and the text. */
function* plainFields(entry: TalliedEntry): Generator<readonly [string, unknown]> {
  const { httpRequest: http, labels } = entry;
  yield ['severity', entry.severity];
  yield ['logName', entry.logName];
  yield ['resource.labels.revision_name', entry.revision];
  yield ['resource.labels.instance_id', entry.instance];
  yield ['trace', entry.trace];
  if (http) {
    yield ['httpRequest.requestMethod', http.method];
    yield ['httpRequest.status', http.status];
    yield ['httpRequest.requestUrl', http.url];
    yield ['httpRequest.remoteIp', http.remoteIp];
    yield ['httpRequest.userAgent', http.userAgent];
    yield ['httpRequest.protocol', http.protocol];
  }
  for (const [key, value] of Object.entries(labels ?? {})) yield [`labels.${writeSegment(key)}`, value];
}

function byFrequency(one: SurveyedValue, other: SurveyedValue): number {
  return other.entries - one.entries || (String(one.value) < String(other.value) ? -1 : 1);
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A segment of a field path, quoted where the parser would not read it as one word. */
function writeSegment(name: string): string {
  return /^[\w/-]+$/.test(name) && !name.includes('--') ? name : JSON.stringify(name);
}
