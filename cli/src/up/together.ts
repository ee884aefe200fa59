/** Waits for all even when one fails, so that what the others started is known and can be closed. */
export async function together<Works extends readonly unknown[]>(
  ...works: Works
): Promise<{ -readonly [Index in keyof Works]: Awaited<Works[Index]> }> {
  await Promise.allSettled(works)
  return await Promise.all(works)
}
