/** What a `User-Agent` says in words that people know. */
export interface UserAgentDescription {
  /** E.g. `Firefox`, `curl`. */
  readonly program: string;
  /** E.g. `Linux`; absent where it isn't said. */
  readonly system?: string;
}

/** The first that matches: browsers name those that they want to be taken for, so the more special ones come first. */
const PROGRAMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bberth(?:-cli)?\//i, 'berth'],
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|Opera)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bDuckDuckGo\//, 'DuckDuckGo'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bChromium\//, 'Chromium'],
  [/\bVersion\/\S+ .*\bSafari\//, 'Safari'],
  [/\bcurl\//, 'curl'],
  [/\bWget\//, 'Wget'],
  [/\bpython-requests\//i, 'Python'],
  [/\bGo-http-client\//, 'Go'],
  [/^(?:node|undici)\b/, 'Node.js'],
];

/** The same: iPhones name macOS, Android names Linux. */
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac ?OS\b|\bMacintosh\b|\bdarwin\b/i, 'macOS'],
  [/\bLinux\b/i, 'Linux'],
];

/** Undefined for what is no well-known program. A client may say what it likes: this is for people to look at, nothing more. */
export function describeUserAgent(userAgent: string): UserAgentDescription | undefined {
  const find = (list: typeof PROGRAMS) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const program = find(PROGRAMS);
  if (program === undefined) return undefined;
  const system = find(SYSTEMS);
  return system === undefined ? { program } : { program, system };
}
