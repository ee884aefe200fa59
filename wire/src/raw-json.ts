/**
 * JSON text that is written into an answer as it stands: metadata comes back as it was sent, and an amount is
 * written digit by digit without passing through a float. The text must be valid JSON; whoever makes one knows that.
 */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
