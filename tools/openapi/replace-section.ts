/**
 * Returns `page` with `text` in its section `name`, between `<!-- name -->` and `<!-- /name -->`.
 * @throws Error when the page has no such section
 */
export function replaceSection(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`the page has no section ${start} … ${end}`);
  return `${page.slice(0, from + start.length)}\n\n${text}\n\n${page.slice(to)}`;
}
