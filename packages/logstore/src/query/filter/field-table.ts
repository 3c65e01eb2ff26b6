import type { LogScope, StoredEntry } from '../../entry/log-entry.ts';

/** The `resource.type` of every entry: the name that filters and queries for such services use elsewhere. */
export const RESOURCE_TYPE = 'cloud_run_revision';

/** A field of the filter language: its names, and where its value is in both forms of a stored entry. */
interface FieldSource<Value> {
  /**
   * Paths that name the field, in lower case and without underscores: `httpRequest.status` and `http_request.status`
   * are the same.
   */
  readonly paths: readonly string[];
  /** SQL over the columns of a Parquet segment; NULL when an entry does not have the field. */
  readonly column: string;
  /** Returns the value; undefined when an entry does not have the field. */
  read(entry: StoredEntry, scope: LogScope): Value | undefined;
}

interface TextSource extends FieldSource<string> {
  /**
   * How a word without a field matches: `part`, anywhere in the text; `whole`, only the complete text, for names and
   * ids whose parts occur everywhere. Absent: never.
   */
  readonly matches?: 'part' | 'whole';
  /** True when SEARCH without a field looks into it. */
  readonly isSearched?: true;
}

/** Text fields. */
export const TEXTS = {
  textPayload: {
    paths: ['textpayload'],
    column: 'CASE WHEN json_payload IS NULL AND http_method IS NULL THEN message END',
    read: ({ jsonPayload, httpRequest, message }) => (jsonPayload || httpRequest ? undefined : message),
  },
  message: {
    paths: ['message'],
    column: 'message',
    read: (entry) => entry.message,
    matches: 'part',
    isSearched: true,
  },
  userAgent: {
    paths: ['httprequest.useragent'],
    column: 'http_user_agent',
    read: (entry) => entry.httpRequest?.userAgent,
    matches: 'part',
    isSearched: true,
  },
  remoteIp: {
    paths: ['httprequest.remoteip'],
    column: 'http_remote_ip',
    read: (entry) => entry.httpRequest?.remoteIp,
    matches: 'part',
    isSearched: true,
  },
  method: {
    paths: ['httprequest.requestmethod', 'httprequest.method'],
    column: 'http_method',
    read: (entry) => entry.httpRequest?.method,
  },
  url: {
    paths: ['httprequest.requesturl', 'httprequest.url'],
    column: 'http_url',
    read: (entry) => entry.httpRequest?.url,
  },
  protocol: {
    paths: ['httprequest.protocol'],
    column: 'http_protocol',
    read: (entry) => entry.httpRequest?.protocol,
  },
  service: {
    paths: ['resource.labels.servicename'],
    column: 'deployment',
    read: (_, scope) => scope.deployment,
    matches: 'whole',
    isSearched: true,
  },
  revision: {
    paths: ['resource.labels.revisionname'],
    column: 'revision',
    read: (entry) => entry.revision,
    matches: 'whole',
    isSearched: true,
  },
  instance: {
    paths: ['resource.labels.instanceid'],
    column: 'instance',
    read: (entry) => entry.instance,
    matches: 'whole',
  },
  resourceType: { paths: ['resource.type'], column: `'${RESOURCE_TYPE}'`, read: () => RESOURCE_TYPE },
  trace: {
    paths: ['trace'],
    column: 'trace',
    read: (entry) => entry.trace,
    matches: 'whole',
    isSearched: true,
  },
  insertId: { paths: ['insertid'], column: 'insert_id', read: (entry) => entry.insertId, matches: 'whole' },
  logName: { paths: ['logname'], column: 'log_name', read: (entry) => entry.logName, matches: 'whole' },
} as const satisfies Readonly<Record<string, TextSource>>;

export type TextName = keyof typeof TEXTS;

/** Number fields. A filter writes `latencyMs` as a duration: `"1.5s"`, `"20ms"`, or seconds. */
export const NUMBERS = {
  status: { paths: ['httprequest.status'], column: 'http_status', read: (entry) => entry.httpRequest?.status },
  requestSize: {
    paths: ['httprequest.requestsize'],
    column: 'http_request_size',
    read: (entry) => entry.httpRequest?.requestSize,
  },
  responseSize: {
    paths: ['httprequest.responsesize'],
    column: 'http_response_size',
    read: (entry) => entry.httpRequest?.responseSize,
  },
  latencyMs: {
    paths: ['httprequest.latency'],
    column: 'http_latency_ms',
    read: (entry) => entry.httpRequest?.latencyMs,
  },
} as const satisfies Readonly<Record<string, FieldSource<number>>>;

/** Fields that contain others. In SQL, the column only tells whether an entry has one, except for `labels`. */
export const OBJECTS = {
  labels: { paths: ['labels'], column: 'labels', read: (entry) => entry.labels },
  resourceLabels: {
    paths: ['resource', 'resource.labels'],
    column: 'deployment',
    read: (_, scope) => ({ service_name: scope.deployment }),
  },
  httpRequest: { paths: ['httprequest'], column: 'http_method', read: (entry) => entry.httpRequest },
  coldStart: { paths: ['httprequest.coldstart'], column: 'cold_start', read: (entry) => entry.httpRequest?.coldStart },
} as const satisfies Readonly<Record<string, FieldSource<object>>>;

/** Returns the names of the text fields for which `isWanted` is true. */
export function textsWhere(isWanted: (source: TextSource) => boolean): readonly TextName[] {
  return (Object.keys(TEXTS) as TextName[]).filter((name) => isWanted(TEXTS[name]));
}

/** Texts in which a word without a field matches a part. */
export const PARTLY_MATCHED = textsWhere(({ matches }) => matches === 'part');
/** Texts that a word without a field matches only as a whole. */
export const WHOLLY_MATCHED = textsWhere(({ matches }) => matches === 'whole');
/** Texts that SEARCH without a field looks into. */
export const SEARCHED = textsWhere(({ isSearched }) => isSearched === true);

/** An array index in a path. Source: RFC 6901 section 4. */
export const INDEX = /^(?:0|[1-9]\d{0,8})$/;
