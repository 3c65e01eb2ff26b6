/** A value of a field, and how many entries have it. */
export interface SurveyedValue {
  readonly value: string | number | boolean;
  readonly entries: number;
}

export interface SurveyedField {
  /** As the filter language writes it: `jsonPayload.user.id`. */
  readonly name: string;
  /** How many entries have it. */
  readonly entries: number;
  /** The most frequent first; none of texts that are too long to be chosen from. */
  readonly values: readonly SurveyedValue[];
  /** Whether there are values that were not kept. */
  readonly hasMore: boolean;
}

/** Fields that entries have. */
export interface FieldSurvey {
  /** Entries that were looked at. */
  readonly entries: number;
  /** Whether there are more that were not. */
  readonly isSampled: boolean;
  /** The most frequent first. */
  readonly fields: readonly SurveyedField[];
}
