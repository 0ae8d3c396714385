// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBurnableToken} from "./IBurnableToken.sol";
import {ICredits} from "./ICredits.sol";
import {IMarketDisputes} from "./IMarketDisputes.sol";
import {IMarketGames} from "./IMarketGames.sol";
import {IPeerRegistry} from "./IPeerRegistry.sol";
import {IRounds} from "./IRounds.sol";

/// @title IPredictionMarket
/// @notice Parimutuel games on a committed answer, weighted by time. A Judge commits to clues and an answer. In each
/// round people bet, then the round's clue is proven; the answer follows the last clue. Winners get their stakes back
/// and divide the losing stakes by shares; each round, a stake buys 1.5 times fewer shares. Of two equal bets on the
/// winner, the earlier never pays less.
/// @dev Round r of a game takes bets in [startsAt + r * (betting + reveal), + betting), all bets on a choice at one
/// rate. The rate is at most 1.5^-r and never above that of an earlier round; it is lower if the round would otherwise
/// add more to the choice's shares than a tenth of those at its opening plus `freeShares`. The round's clue is due
/// within `revealSec` after betting; the last clue and the answer share that window. A missed deadline voids the game.
/// The market has no owner, and nothing in it can be changed or paused. The holder of a position is an account, padded
/// to 32 bytes, or the key of a peer that bet through `peerFacade`.
interface IPredictionMarket is ICredits, IMarketGames, IMarketDisputes {
    /// @notice Emitted for each bet.
    /// @param gameId The game.
    /// @param holder Holder of the position.
    /// @param account The account that bet, or the account of the peer.
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

    /// @notice Emitted when a game ends with a winning choice.
    /// @param gameId The game.
    /// @param choice The choice.
    /// @param pot What its holders divide in addition to their stakes: losing stakes, and a bond that the Judge
    /// forfeited.
    /// @param shares All shares of the choice, by which the pot is divided.
    event GameResolved(uint256 indexed gameId, uint8 choice, uint256 pot, uint256 shares);

    /// @notice Emitted when a Judge whose answer stands is credited its fee.
    /// @param gameId The game.
    /// @param judge The Judge.
    /// @param amount Tokens, out of the losing stakes.
    event JudgePaid(uint256 indexed gameId, address indexed judge, uint256 amount);

    /// @notice Emitted when a game ends with refunds.
    /// @param gameId The game.
    /// @param pot A forfeited bond, divided by stake.
    /// @param stake All stakes.
    event GameVoided(uint256 indexed gameId, uint256 pot, uint256 stake);

    /// @notice Emitted when a holder is paid.
    /// @param gameId The game.
    /// @param holder Holder of the position.
    /// @param account Account paid.
    /// @param payout Tokens paid.
    event Claimed(uint256 indexed gameId, bytes32 indexed holder, address indexed account, uint256 payout);

    /// @notice Emitted when the rounding remainder of a pot is burnt.
    /// @param gameId The game.
    /// @param amount Tokens burnt.
    event DustBurnt(uint256 indexed gameId, uint256 amount);

    /// @notice Thrown when a bet is not for the round that takes bets.
    /// @param round The bet's round.
    /// @param current Round that takes bets.
    error PredictionMarket_WrongRound(uint256 round, uint256 current);

    /// @notice Thrown when the price of a round that has not opened is requested.
    /// @param round The round.
    /// @param opened Number of rounds that have opened.
    error PredictionMarket_RoundNotOpened(uint256 round, uint256 opened);

    /// @notice Thrown when the Judge bets on its own game.
    /// @param judge The Judge.
    error PredictionMarket_JudgeCannotBet(address judge);

    /// @notice Thrown when a bet is below the game's minimum.
    /// @param stake The bet.
    /// @param minBet The minimum.
    error PredictionMarket_BelowMinimum(uint256 stake, uint256 minBet);

    /// @notice Thrown when a bet buys no share.
    /// @param stake The bet.
    /// @param round Its round.
    error PredictionMarket_ZeroShares(uint256 stake, uint256 round);

    /// @notice Thrown when a bet or a quote would take a choice's stakes above 2^96 - 1.
    /// @param stake The bet.
    /// @param remaining What the choice still takes.
    error PredictionMarket_TooLarge(uint256 stake, uint256 remaining);

    /// @notice Thrown when the sender is not the Judge.
    /// @param account The sender.
    /// @param judge The Judge.
    error PredictionMarket_NotJudge(address account, address judge);

    /// @notice Thrown when the sender is not the contract for RL Swarm's clients.
    /// @param account The sender.
    error PredictionMarket_NotPeerFacade(address account);

    /// @notice Thrown when a holder has nothing to claim, or has claimed it.
    /// @param gameId The game.
    /// @param holder The holder.
    error PredictionMarket_NothingToClaim(uint256 gameId, bytes32 holder);

    /// @notice Bets the caller's tokens. All bets of a round on a choice have one rate, so being first gains nothing.
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

    /// @notice Pays out the caller's position in a game; resolves the game first if that is due.
    /// @param gameId The game.
    /// @return payout Tokens paid.
    function claim(uint256 gameId) external returns (uint256 payout);

    /// @notice Pays the caller its credit: returned bonds and pay for verdicts.
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

    /// @notice Tokens for a share of a choice in a round: provisional during the round, as if it closed now, and fixed
    /// after it. It never falls, and later rounds are never cheaper.
    /// @param gameId The game.
    /// @param round The round; reverts if it has not opened.
    /// @param choice The choice.
    /// @return price 1e18 fixed point.
    function priceOf(uint256 gameId, uint8 round, uint8 choice) external view returns (uint256 price);

    /// @notice What a bet in the current or next betting round would buy if no bet followed in that round, and would
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
