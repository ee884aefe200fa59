// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** Delete a webhook and what waits for it: the answer of DELETE /webhooks/{webhookId}. */
export interface DeleteWebhookAnswer {
  /** An error has `false` here. */
  readonly success: true
  /** Name of the webhook that was. */
  readonly webhookId: string
  /** Unix milliseconds. */
  readonly deletedAt: number
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
