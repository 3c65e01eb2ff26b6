/** One line of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a scrape says. */
export interface Exposition {
  readonly samples: readonly Sample[];
  /** `counter`, `gauge` or `histogram`, by the metric's name. */
  readonly types: ReadonlyMap<string, string>;
  /** The value of the one sample with this name and exactly these labels. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\n"])*)"(?:,|$)/y;

/**
 * Reads the text format, version 0.0.4, strictly.
 * @throws Error for a line that is none, for a sample without a type, and for one that is there twice.
 */
export function readExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const samples: Sample[] = [];
  const types = new Map<string, string>();
  const seen = new Set<string>();
  for (const line of text.split('\n')) {
    const [, typed, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (typed !== undefined && type !== undefined) {
      if (types.has(typed)) throw new Error(`${typed} has two types`);
      types.set(typed, type);
    }
    if (line === '' || line.startsWith('#')) continue;
    const sample = readSample(line);
    const family = types.has(sample.name) ? sample.name : sample.name.replace(/_(bucket|sum|count)$/, '');
    if (!types.has(family)) throw new Error(`no type before: ${line}`);
    const key = keyOf(sample.name, sample.labels);
    if (seen.has(key)) throw new Error(`twice: ${line}`);
    seen.add(key);
    samples.push(sample);
  }
  return {
    samples,
    types,
    value: (name, labels = {}) =>
      samples.find((sample) => keyOf(sample.name, sample.labels) === keyOf(name, labels))?.value,
  };
}

function readSample(line: string): Sample {
  const [, name, labelText = '', valueText] = SAMPLE.exec(line) ?? [];
  if (name === undefined || valueText === undefined) throw new Error(`not a sample: ${line}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  for (let end = 0; end < labelText.length; end = LABEL.lastIndex) {
    const [, label, text] = LABEL.exec(labelText) ?? [];
    if (label === undefined || text === undefined) throw new Error(`not labels: ${line}`);
    labels[label] = text;
  }
  return { name, labels, value: readValue(valueText, line) };
}

/** The format says: as Go's ParseFloat reads it, for which the case of NaN is no matter. */
function readValue(text: string, line: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  if (text === '-Inf') return Number.NEGATIVE_INFINITY;
  const value = Number(text);
  if (Number.isNaN(value) && text.toLowerCase() !== 'nan') throw new Error(`not a number: ${line}`);
  return value;
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  return JSON.stringify([name, Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
