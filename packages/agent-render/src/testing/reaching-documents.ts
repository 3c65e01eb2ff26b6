import {
  DRAWING,
  excelWorkbook,
  OFFICE,
  officePackage,
  relationships,
  wordDocument,
  wordParagraph,
} from './office-packages.ts';
import { openDocument } from './open-documents.ts';
import { zipOf } from './zip-of.ts';

/** A document with external references of every kind that its format has. */
export interface ReachingDocument {
  readonly name: string;
  readonly bytes: Buffer;
}

const PICTURE = (id: string) =>
  `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="900000" cy="900000"/><wp:docPr id="1" name="p"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="${id}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
const FIELD = (code: string) =>
  `<w:p><w:r><w:fldChar w:fldCharType="begin" w:dirty="true"/></w:r><w:r><w:instrText xml:space="preserve"> ${code} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>?</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;

/** Builds the documents. Each reference has its own path below `base`: `http://127.0.0.1:1234` or `file:///tmp/x`. */
export async function reachingDocuments(base: string): Promise<ReachingDocument[]> {
  const word = wordDocument(
    [
      wordParagraph('Reaching out'),
      PICTURE('r1'),
      FIELD(`INCLUDEPICTURE "${base}/docx-field.png" \\d`),
      FIELD(`INCLUDETEXT "${base}/docx-text.docx"`),
      FIELD(`LINK Word.Document.12 "${base}/docx-link.docx" "" \\a`),
      '<w:p><w:r><w:pict><v:shape style="width:50pt;height:50pt"><v:imagedata r:id="r2"/></v:shape></w:pict></w:r></w:p>',
      '<w:p><w:r><w:object><v:shape id="s1" style="width:50pt;height:50pt"/><o:OLEObject Type="Link" ProgID="Word.Document.12" ShapeID="s1" DrawAspect="Content" r:id="r3" UpdateMode="Always"/></w:object></w:r></w:p>',
      '<w:altChunk r:id="r4"/>',
      '<w:subDoc r:id="r5"/>',
    ].join(''),
    {
      'word/_rels/document.xml.rels': relationships([
        ['image', `${base}/docx-image.png`, true],
        ['image', `${base}/docx-vml.png`, true],
        ['oleObject', `${base}/docx-ole.docx`, true],
        ['aFChunk', `${base}/docx-chunk.html`, true],
        ['subDocument', `${base}/docx-sub.docx`, true],
        ['settings', 'settings.xml'],
      ]),
      'word/settings.xml': `<?xml version="1.0"?><w:settings xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${OFFICE}"><w:attachedTemplate r:id="r1"/><w:updateFields w:val="true"/><w:linkStyles/></w:settings>`,
      'word/_rels/settings.xml.rels': relationships([['attachedTemplate', `${base}/docx-template.dotx`, true]]),
    },
  );
  const sheet = excelWorkbook(
    [
      `<row r="1"><c r="A1" t="str"><f>WEBSERVICE("${base}/xlsx-webservice")</f><v>old</v></c></row>`,
      '<row r="2"><c r="A2"><f>[1]Sheet1!A1</f><v>1</v></c></row>',
      `<row r="3"><c r="A3" t="str"><f>HYPERLINK("${base}/xlsx-hyperlink")</f><v>x</v></c></row>`,
      `<row r="4"><c r="A4" t="str"><f>IMAGE("${base}/xlsx-image.png")</f><v>x</v></c></row>`,
    ].join(''),
    {
      workbook: '<externalReferences><externalReference r:id="r2"/></externalReferences>',
      sheet: '<drawing r:id="r1"/>',
      links: [
        ['externalLink', 'externalLinks/externalLink1.xml'],
        ['connections', 'connections.xml'],
      ],
      types: {
        '/xl/externalLinks/externalLink1.xml': 'spreadsheetml.externalLink+xml',
        '/xl/connections.xml': 'spreadsheetml.connections+xml',
        '/xl/queryTables/queryTable1.xml': 'spreadsheetml.queryTable+xml',
        '/xl/drawings/drawing1.xml': 'drawing+xml',
      },
      files: {
        'xl/externalLinks/externalLink1.xml': `<?xml version="1.0"?><externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"><externalBook r:id="r1"><sheetNames><sheetName val="Sheet1"/></sheetNames></externalBook></externalLink>`,
        'xl/externalLinks/_rels/externalLink1.xml.rels': relationships([
          ['externalLinkPath', `${base}/xlsx-book.xlsx`, true],
        ]),
        'xl/connections.xml': `<?xml version="1.0"?><connections xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><connection id="1" name="c" type="4" refreshedVersion="6" refreshOnLoad="1"><webPr url="${base}/xlsx-connection"/></connection></connections>`,
        'xl/worksheets/_rels/sheet1.xml.rels': relationships([
          ['drawing', '../drawings/drawing1.xml'],
          ['queryTable', '../queryTables/queryTable1.xml'],
        ]),
        'xl/queryTables/queryTable1.xml': `<?xml version="1.0"?><queryTable xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" name="q" connectionId="1" refreshOnLoad="1"/>`,
        'xl/drawings/drawing1.xml': `<?xml version="1.0"?><xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${OFFICE}"><xdr:oneCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>6</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:ext cx="900000" cy="900000"/><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="2" name="p"/><xdr:cNvPicPr/></xdr:nvPicPr><xdr:blipFill><a:blip r:link="r1"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill><xdr:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic><xdr:clientData/></xdr:oneCellAnchor></xdr:wsDr>`,
        'xl/drawings/_rels/drawing1.xml.rels': relationships([['image', `${base}/xlsx-image.png`, true]]),
      },
    },
  );
  const slide = officePackage({
    folder: 'ppt',
    main: 'presentation.xml',
    types: { '/ppt/slides/slide1.xml': 'presentationml.slide+xml' },
    files: {
      'ppt/presentation.xml': `<?xml version="1.0"?><p:presentation ${DRAWING} xmlns:r="${OFFICE}"><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`,
      'ppt/_rels/presentation.xml.rels': relationships([['slide', 'slides/slide1.xml']]),
      'ppt/slides/slide1.xml': `<?xml version="1.0"?><p:sld ${DRAWING} xmlns:r="${OFFICE}"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/><p:pic><p:nvPicPr><p:cNvPr id="2" name="p"/><p:cNvPicPr/><p:nvPr><a:videoFile r:link="r2"/></p:nvPr></p:nvPicPr><p:blipFill><a:blip r:link="r1"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic><p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="o"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/presentationml/2006/ole"><p:oleObj r:id="r3" progId="Word.Document.12" imgW="900000" imgH="900000"><p:link updateAutomatic="1"/></p:oleObj></a:graphicData></a:graphic></p:graphicFrame></p:spTree></p:cSld></p:sld>`,
      'ppt/slides/_rels/slide1.xml.rels': relationships([
        ['image', `${base}/pptx-image.png`, true],
        ['video', `${base}/pptx-video.mp4`, true],
        ['oleObject', `${base}/pptx-ole.docx`, true],
      ]),
    },
  });
  const linked = (what: string) =>
    `<draw:frame svg:width="2cm" svg:height="2cm"><draw:image xlink:href="${base}/${what}-image.png" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame><draw:frame svg:width="2cm" svg:height="2cm"><draw:object xlink:href="${base}/${what}-object.odt" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame><draw:frame svg:width="2cm" svg:height="2cm"><draw:floating-frame xlink:href="${base}/${what}-frame.html" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame><draw:frame svg:width="2cm" svg:height="2cm"><draw:plugin xlink:href="${base}/${what}-plugin.mp4" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad" draw:mime-type="application/vnd.sun.star.media"/></draw:frame>`;
  const script = `<script:event-listener script:language="ooo:script" script:event-name="dom:load" xlink:href="vnd.sun.star.script:Standard.Module1.Main?language=Basic&amp;location=document" xlink:type="simple"/>`;
  const macro = `<?xml version="1.0"?><script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1" script:language="StarBasic" script:moduleType="normal">Sub Main
Dim a
a = createUnoService("com.sun.star.ucb.SimpleFileAccess")
a.openFileRead("${base}/macro")
End Sub</script:module>`;
  const libraries = {
    'Basic/script-lc.xml':
      '<?xml version="1.0"?><library:libraries xmlns:library="http://openoffice.org/2000/library" xmlns:xlink="http://www.w3.org/1999/xlink"><library:library library:name="Standard" library:link="false"/></library:libraries>',
    'Basic/Standard/script-lb.xml':
      '<?xml version="1.0"?><library:library xmlns:library="http://openoffice.org/2000/library" library:name="Standard" library:readonly="false" library:passwordprotected="false"><library:element library:name="Module1"/></library:library>',
    'Basic/Standard/Module1.xml': macro,
  };
  const scripts = `<office:event-listeners>${script}</office:event-listeners>`;
  const text = openDocument(
    'text',
    `<text:p>Reaching out ${linked('odt')}</text:p><text:section text:name="s"><text:section-source xlink:href="${base}/odt-section.odt" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/><text:p>old</text:p></text:section>`,
    { scripts, files: libraries },
  );
  const table = openDocument(
    'spreadsheet',
    `<table:table table:name="S"><table:table-source xlink:href="${base}/ods-source.ods" xlink:type="simple" table:table-name="S" table:refresh-delay="PT1S"/><table:table-row><table:table-cell table:formula="of:=WEBSERVICE(&quot;${base}/ods-webservice&quot;)" office:value-type="string"/><table:table-cell table:formula="of:='${base}/ods-cell.ods'#$S.A1" office:value-type="string"/><table:table-cell><table:cell-range-source table:name="all" xlink:href="${base}/ods-range.html" xlink:type="simple" table:last-column-spanned="1" table:last-row-spanned="1" table:refresh-delay="PT1S"/>${linked('ods')}</table:table-cell></table:table-row></table:table>`,
    { scripts, files: libraries },
  );
  const pages = openDocument(
    'presentation',
    `<draw:page draw:name="p" presentation:transition-type="automatic">${linked('odp')}</draw:page><draw:page draw:name="q"><office:forms/>${linked('odp-second')}</draw:page>`,
    { scripts, files: libraries },
  );
  const rich = Buffer.from(
    `{\\rtf1\\ansi{\\*\\template ${base}/rtf-template.dot}{\\fonttbl{\\f0 Times;}}Reaching out\\par{\\field\\flddirty{\\*\\fldinst INCLUDEPICTURE "${base}/rtf-picture.png" \\\\d}{\\fldrslt x}}\\par{\\field{\\*\\fldinst INCLUDETEXT "${base}/rtf-text.rtf"}{\\fldrslt x}}\\par{\\object\\objautlink\\rsltpict{\\*\\objclass Word.Document.8}{\\*\\objdata ${linkedObject(`${base}/rtf-object.doc`)}}{\\result x}}{\\*\\nextfile ${base}/rtf-next.rtf}}`,
  );
  const book = zipOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="O/c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'O/c.opf':
      '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
    'O/a.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><head><link rel="stylesheet" href="${base}/epub-style.css"/><style>@import url("${base}/epub-import.css"); p { background: url("${base}/epub-background.png") }</style><base href="${base}/epub-base/"/><meta http-equiv="refresh" content="0;url=${base}/epub-refresh"/></head><body background="${base}/epub-body.png"><p style="background: url('${base}/epub-inline.png')">Reaching out <img src="${base}/epub-image.png"/><img src="relative.png"/></p><object data="${base}/epub-object"></object><iframe src="${base}/epub-frame"></iframe><embed src="${base}/epub-embed"/><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="${base}/epub-svg.png"/></svg><script src="${base}/epub-script.js"></script><video src="${base}/epub-video"></video></body></html>`,
  });
  return [
    { name: 'reaching.docx', bytes: await word },
    { name: 'reaching.xlsx', bytes: await sheet },
    { name: 'reaching.pptx', bytes: await slide },
    { name: 'reaching.odt', bytes: await text },
    { name: 'reaching.ods', bytes: await table },
    { name: 'reaching.odp', bytes: await pages },
    { name: 'reaching.rtf', bytes: rich },
    { name: 'reaching.epub', bytes: await book },
  ];
}

/** Returns the header of a linked object in hexadecimal. Source: [MS-OLEDS] 2.2.6. */
function linkedObject(target: string): string {
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const text = (value: string) => Buffer.concat([number(value.length + 1), Buffer.from(`${value}\0`, 'latin1')]);
  const parts = [number(0x501), number(1), text('Word.Document.8'), text(target), text(''), text(''), number(0)];
  return Buffer.concat([...parts, number(0)]).toString('hex');
}
