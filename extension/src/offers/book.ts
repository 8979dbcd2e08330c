/** The offers that hold now, by document, as the server tells them. */
import type { OfferItem, OffersParams } from "../protocol";

export interface PlacedOffer {
  readonly uri: string;
  readonly offer: OfferItem;
}

export class OfferBook {
  private readonly byUri = new Map<string, readonly OfferItem[]>();

  take({ uri, offers }: OffersParams): void {
    if (offers.length === 0) {
      this.byUri.delete(uri);
    } else {
      this.byUri.set(uri, offers);
    }
  }

  clear(): void {
    this.byUri.clear();
  }

  find(id: string): PlacedOffer | undefined {
    for (const [uri, offers] of this.byUri) {
      const offer = offers.find((one) => one.id === id);
      if (offer !== undefined) {
        return { uri, offer };
      }
    }
    return undefined;
  }

  /** Those of one kernel, the best first; the server gives them in that order. */
  of(uri: string, kernel: string): readonly OfferItem[] {
    return (this.byUri.get(uri) ?? []).filter((offer) => offer.kernel === kernel);
  }

  get count(): number {
    let count = 0;
    for (const offers of this.byUri.values()) {
      count += offers.length;
    }
    return count;
  }
}
