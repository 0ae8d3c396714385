// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBurnableToken} from "./IBurnableToken.sol";
import {ICredits} from "./ICredits.sol";
import {IMarketDisputes} from "./IMarketDisputes.sol";
import {IMarketGames} from "./IMarketGames.sol";
import {IPeerRegistry} from "./IPeerRegistry.sol";
import {IRounds} from "./IRounds.sol";

/// @title IPredictionMarket
/// @notice Parimutuel games on a committed answer, weighted by time. A Judge commits to clues and answer; in each
/// round people bet, then the round's clue is proven; at last the answer. Those who were right get their stake back
/// and the losing stakes by shares: a stake buys 1.5 times fewer of them each round. Of two equal bets on the winner
/// the earlier never pays less.
/// @dev Round r of a game takes bets in [startsAt + r * (betting + reveal), + betting), all on a choice at one rate:
/// at most 1.5^-r and that of the rounds before; less where the round would add more to the choice's shares than a
/// tenth of those at its opening and `freeShares`. Its clue is due in the `revealSec` after that, the last clue and
/// the answer in the same span. A missed deadline voids the game. Nobody owns the market, and nothing in it can be
/// changed or paused. A holder is whose position it is: the account as 32 bytes, or the key of a peer that bet
/// through `peerFacade`.
interface IPredictionMarket is ICredits, IMarketGames, IMarketDisputes {
    /// @notice Emitted for each bet.
    /// @param gameId The game.
    /// @param holder Whose position it is.
    /// @param account Account that bet, or that the peer belongs to.
    /// @param round The round.
    /// @param choice The choice.
    /// @param stake Tokens bet.
    /// @param shares Shares bought, unless later bets of the round on the choice dilute them.
    event BetPlaced(
        uint256 indexed gameId,
        bytes32 indexed holder,
        address indexed account,
        uint8 round,
        uint8 choice,
        uint256 stake,
        uint256 shares
    );

    /// @notice Emitted when a game ends with a choice that won.
    /// @param gameId The game.
    /// @param choice The choice.
    /// @param pot What its holders divide on top of their stakes: losing stakes, and a bond that the Judge forfeited.
    /// @param shares By what they divide it.
    event GameResolved(uint256 indexed gameId, uint8 choice, uint256 pot, uint256 shares);

    /// @notice Emitted when a Judge whose answer stands has its fee.
    /// @param gameId The game.
    /// @param judge Whose credit it is.
    /// @param amount Tokens, out of the losing stakes.
    event JudgePaid(uint256 indexed gameId, address indexed judge, uint256 amount);

    /// @notice Emitted when a game ends with refunds.
    /// @param gameId The game.
    /// @param pot A forfeited bond, divided by stake.
    /// @param stake All stakes.
    event GameVoided(uint256 indexed gameId, uint256 pot, uint256 stake);

    /// @notice Emitted when a holder is paid.
    /// @param gameId The game.
    /// @param holder Whose position it was.
    /// @param account Account paid.
    /// @param payout Tokens paid.
    event Claimed(uint256 indexed gameId, bytes32 indexed holder, address indexed account, uint256 payout);

    /// @notice Emitted when what rounding left of a pot is burnt.
    /// @param gameId The game.
    /// @param amount Tokens burnt.
    event DustBurnt(uint256 indexed gameId, uint256 amount);

    /// @notice Thrown when a bet names another round than the one that takes bets.
    /// @param round Round named.
    /// @param current Round that takes bets.
    error PredictionMarket_WrongRound(uint256 round, uint256 current);

    /// @notice Thrown when a price is asked for of a round that has not opened.
    /// @param round Round asked for.
    /// @param opened Rounds that have.
    error PredictionMarket_RoundNotOpened(uint256 round, uint256 opened);

    /// @notice Thrown when the Judge bets on its own game.
    /// @param judge The Judge.
    error PredictionMarket_JudgeCannotBet(address judge);

    /// @notice Thrown when a bet is below the game's least.
    /// @param stake The bet.
    /// @param minBet Least bet.
    error PredictionMarket_BelowMinimum(uint256 stake, uint256 minBet);

    /// @notice Thrown when a bet buys no share.
    /// @param stake The bet.
    /// @param round Its round.
    error PredictionMarket_ZeroShares(uint256 stake, uint256 round);

    /// @notice Thrown when a bet or a quote would take a choice's stakes above 2^96 - 1.
    /// @param stake The bet.
    /// @param remaining What the choice still takes.
    error PredictionMarket_TooLarge(uint256 stake, uint256 remaining);

    /// @notice Thrown when only the Judge may do this.
    /// @param account The sender.
    /// @param judge The Judge.
    error PredictionMarket_NotJudge(address account, address judge);

    /// @notice Thrown when only the contract for RL Swarm's clients may do this.
    /// @param account The sender.
    error PredictionMarket_NotPeerFacade(address account);

    /// @notice Thrown when a holder has nothing to claim, or has claimed it.
    /// @param gameId The game.
    /// @param holder The holder.
    error PredictionMarket_NothingToClaim(uint256 gameId, bytes32 holder);

    /// @notice Bets the caller's tokens. All bets of a round on a choice have one rate, so that nothing is gained by
    /// being first.
    /// @param gameId The game.
    /// @param round The round that takes bets now: a bet that arrives late is refused instead of paying a later
    /// price.
    /// @param choice The choice.
    /// @param stake Tokens; the market must be allowed to take them.
    /// @return shares Shares bought, if nothing follows in the round.
    function bet(uint256 gameId, uint8 round, uint8 choice, uint256 stake) external returns (uint256 shares);

    /// @notice Ends a game with refunds, before its answer is proven. The bond goes to the bettors, if there are any.
    /// @param gameId The game; the caller must be its Judge.
    function cancel(uint256 gameId) external;

    /// @notice Ends a game that is due: its answer went undisputed, its dispute is over, or a deadline was missed.
    /// @param gameId The game.
    function resolve(uint256 gameId) external;

    /// @notice Pays the caller what its position in a game is worth; resolves the game first if that is due.
    /// @param gameId The game.
    /// @return payout Tokens paid.
    function claim(uint256 gameId) external returns (uint256 payout);

    /// @notice Pays the caller all that it was credited: bonds and pay for verdicts.
    /// @return amount Tokens paid.
    function withdraw() external returns (uint256 amount);

    /// @notice Bets tokens that `peerFacade` holds for a peer. Only `peerFacade`.
    /// @param account Account that the peer belongs to.
    /// @param peerKey The peer; its position is its own.
    /// @param gameId The game.
    /// @param round The round that takes bets now.
    /// @param choice The choice.
    /// @param stake Tokens.
    /// @return shares Shares bought, if nothing follows in the round.
    function betFor(
        address account,
        bytes32 peerKey,
        uint256 gameId,
        uint8 round,
        uint8 choice,
        uint256 stake
    ) external returns (uint256 shares);

    /// @notice Pays a peer's position to its account. Only `peerFacade`.
    /// @param account Account that the peer belongs to.
    /// @param peerKey The peer.
    /// @param gameId The game.
    /// @return payout Tokens paid.
    function claimFor(address account, bytes32 peerKey, uint256 gameId) external returns (uint256 payout);

    /// @notice Stake on a choice and shares of it; bets of the round under way count as if it closed now.
    /// @param gameId The game.
    /// @param choice The choice.
    /// @return stake Tokens.
    /// @return shares Shares.
    function choiceOf(uint256 gameId, uint8 choice) external view returns (uint256 stake, uint256 shares);

    /// @notice A holder's stake on a choice and shares of it, as if the round under way closed now; nothing once
    /// claimed.
    /// @param gameId The game.
    /// @param choice The choice.
    /// @param holder The holder.
    /// @return stake Tokens.
    /// @return shares Shares.
    function positionOf(
        uint256 gameId,
        uint8 choice,
        bytes32 holder
    ) external view returns (uint256 stake, uint256 shares);

    /// @notice Tokens for a share of a choice in a round: as if it closed now for the round under way, and for good
    /// after it. It never falls, and no later round's is lower.
    /// @param gameId The game.
    /// @param round The round; one whose opening is still to come reverts.
    /// @param choice The choice.
    /// @return price 1e18 fixed point.
    function priceOf(uint256 gameId, uint8 round, uint8 choice) external view returns (uint256 price);

    /// @notice What a bet on the round that takes bets, or takes them next, would buy if nothing followed in it, and
    /// pay if its choice won and nobody bet after it.
    /// @param gameId The game.
    /// @param choice The choice.
    /// @param stake Tokens.
    /// @return shares Shares.
    /// @return payout Tokens, the stake included.
    function quote(uint256 gameId, uint8 choice, uint256 stake) external view returns (uint256 shares, uint256 payout);

    /// @notice What a holder would be paid now; 0 until the game has ended.
    /// @param gameId The game.
    /// @param holder The holder.
    /// @return payout Tokens.
    function claimableOf(uint256 gameId, bytes32 holder) external view returns (uint256 payout);

    /// @notice Whether an account has bet in a game, itself or through peers.
    /// @param gameId The game.
    /// @param account The account.
    /// @return made Whether it has.
    function hasBet(uint256 gameId, address account) external view returns (bool made);

    /// @notice The token that is bet.
    /// @return token The contract.
    function token() external view returns (IBurnableToken token);

    /// @notice The clock that says which seats sit.
    /// @return clock The contract.
    function rounds() external view returns (IRounds clock);

    /// @notice Who speaks for a seat.
    /// @return registry The contract.
    function peerRegistry() external view returns (IPeerRegistry registry);

    /// @notice The contract that bets for peers of RL Swarm's clients.
    /// @return facade The contract.
    function peerFacade() external view returns (address facade);
}
