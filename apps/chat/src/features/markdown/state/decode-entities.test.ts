import { expect, it } from 'vitest';
import { decodeEntities } from './decode-entities.ts';

it.each([
  ['a &amp; b &lt;c&gt; &quot;d&quot; &#39;e&#39;', 'a & b <c> "d" \'e\''],
  ['&nbsp;&hellip;&#8364;&#x1F600;', '\u00a0…€😀'],
  ['&#0;&#1114112;&#xFFFFFF;', '\ufffd\ufffd\ufffd'],
  ['&unknown; & &; &#; &toString;', '&unknown; & &; &#; &toString;'],
  ['&amp;lt;', '&lt;'],
])('reads %j once', (text, expected) => {
  expect(decodeEntities(text)).toBe(expected);
});
