/// Spreads a discount into prices: the provider knows no discount, and prepaid money is something else.
package enum Discount {
    /// Positions of the same units whose sum is `total`; `nil` where that can't be.
    ///
    /// 1. each line gets its share, rounded down, 2. the kopecks that are left go to the lines with the largest remainder,
    /// 3. a line whose share its units don't divide is split into two prices that differ by a kopeck.
    package static func spread(_ basket: Basket, to total: Int64) -> Basket? {
        guard total >= 0, total <= basket.sum else { return nil }
        guard basket.sum > 0 else { return basket }
        var shares: [(index: Int, share: Int64, remainder: Int64)] = []
        var given: Int64 = 0
        for (index, position) in basket.positions.enumerated() {
            // Both factors are at most the basket's sum, so the quotient fits.
            let product = (position.price * position.quantity).multipliedFullWidth(by: total)
            let (share, remainder) = basket.sum.dividingFullWidth(product)
            shares.append((index, share, remainder))
            given += share
        }
        let order = shares.sorted { ($1.remainder, $0.index) < ($0.remainder, $1.index) }
        for entry in order.prefix(Int(total - given)) { shares[entry.index].share += 1 }
        return Basket(zip(basket.positions, shares).flatMap { split($0, share: $1.share) })
    }

    private static func split(_ position: Position, share: Int64) -> [Position] {
        let (price, dearer) = share.quotientAndRemainder(dividingBy: position.quantity)
        return [
            position.with(quantity: dearer, price: price + 1),
            position.with(quantity: position.quantity - dearer, price: price),
        ]
        .filter { $0.quantity > 0 }
    }
}
