/** The program and operating system named by a `User-Agent` header. */
export interface UserAgentDescription {
  /** The program's name, e.g. `Firefox` or `curl`. */
  readonly program: string;
  /** The operating system's name, e.g. `Linux`; absent if the header doesn't name one. */
  readonly system?: string;
}

/** Programs in order of precedence. Browsers also name the browsers they imitate, so specific names come first. */
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

/** Operating systems in order of precedence: iPhones also name macOS, and Android also names Linux. */
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac ?OS\b|\bMacintosh\b|\bdarwin\b/i, 'macOS'],
  [/\bLinux\b/i, 'Linux'],
];

/**
 * Returns the program and system that a `User-Agent` names, or undefined for unknown programs. Clients can send any
 * value, so use the result for display only.
 */
export function describeUserAgent(userAgent: string): UserAgentDescription | undefined {
  const find = (list: typeof PROGRAMS) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const program = find(PROGRAMS);
  if (program === undefined) return undefined;
  const system = find(SYSTEMS);
  return system === undefined ? { program } : { program, system };
}
