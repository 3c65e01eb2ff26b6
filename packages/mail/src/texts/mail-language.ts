/** Languages of the platform's letters. */
export type MailLanguage = 'en' | 'ar';

/** Returns the language that an `Accept-Language` header prefers among ours; undefined when it names neither. */
export function chooseMailLanguage(acceptLanguage: string | null | undefined): MailLanguage | undefined {
  const ranges = (acceptLanguage ?? '').slice(0, 500).split(',');
  const wanted = ranges.map((range) => {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const quality = parameters.find((one) => one.trim().startsWith('q='));
    return { tag: tag.split('-')[0], weight: quality === undefined ? 1 : Number(quality.trim().slice(2)) || 0 };
  });
  const known = wanted.filter(({ tag, weight }) => weight > 0 && (tag === 'en' || tag === 'ar'));
  return known.sort((a, b) => b.weight - a.weight)[0]?.tag as MailLanguage | undefined;
}
