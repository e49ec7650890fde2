/** Those items that a test keeps, as they come. */
export async function* kept<T>(items: AsyncIterable<T>, keeps: (item: T) => boolean): AsyncGenerator<T> {
  for await (const item of items) if (keeps(item)) yield item;
}
