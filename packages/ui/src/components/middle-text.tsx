/** A long name cut in its middle, because the ends tell names apart; whole in its title and for screen readers. */
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
