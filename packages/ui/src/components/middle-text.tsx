/** A long name truncated in the middle, since names differ at their ends. Its title and screen readers have the full name. */
export function MiddleText({ text }: { readonly text: string }) {
  const tail = text.length > 16 ? text.slice(-8) : '';
  return (
    <span title={text} dir="ltr" className="inline-flex max-w-full min-w-0">
      <span className="sr-only">{text}</span>
      <span aria-hidden className="truncate whitespace-pre">
        {tail === '' ? text : text.slice(0, -8)}
      </span>
      {tail !== '' && (
        <span aria-hidden className="shrink-0 whitespace-pre">
          {tail}
        </span>
      )}
    </span>
  );
}
