/** A reader of RFC 4180 that shares nothing with the writer: a field without quotes and without text is null. */
export function csvRecords(text: string, delimiter = ','): (string | null)[][] {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === '"') {
      let field = '';
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (text[at] === '"') at++;
        field += text[at];
      }
      at++;
      record.push(field);
    } else {
      const begin = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++;
      record.push(at === begin ? null : text.slice(begin, at));
    }
    if (text[at] === delimiter) {
      at++;
      if (at === text.length || text[at] === '\n') record.push(null);
    }
    if (text[at] === '\n') {
      at++;
      records.push(record);
      record = [];
    }
  }
  return records;
}
