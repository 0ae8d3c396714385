// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPredictionMarket} from "./IPredictionMarket.sol";

/// @title IPrgMarket
/// @notice The prediction market as RL Swarm's PRG clients call it: a facade of the same games, by the same ids.
/// @dev Peers are named by their ids, and bet with tokens that were deposited for them, since these clients never
/// approve transfers. `SwarmCoordinator` determines a peer's account: a proof in `PeerRegistry` displaces an unproven
/// claim, and takes over the deposit.
interface IPrgMarket {
    /// @notice Emitted when the owner opens a game.
    /// @param gameIdx The game.
    /// @param roundCount Rounds.
    /// @param choiceCount Choices.
    /// @param startTime First second of betting, Unix time.
    event NewGameCreated(uint256 indexed gameIdx, uint256 roundCount, uint256 choiceCount, uint256 startTime);

    /// @notice Emitted when a peer bets.
    /// @param gameIdx The game.
    /// @param caller The peer's account.
    /// @param peerId The peer.
    /// @param roundIdx The round.
    /// @param choiceIdx The choice.
    /// @param bet Tokens.
    event NewGuess(
        uint256 indexed gameIdx,
        address caller,
        string peerId,
        uint256 roundIdx,
        uint256 choiceIdx,
        uint256 bet
    );

    /// @notice Emitted when the owner announces that a round is over.
    /// @param gameIdx The game.
    /// @param timestamp The block's time, Unix time, seconds.
    event RoundIncremented(uint256 indexed gameIdx, uint256 timestamp);

    /// @notice Emitted when the owner announces the answer.
    /// @param gameIdx The game.
    /// @param correctChoiceIdx The answer proven.
    /// @param jobId The owner's own reference.
    event AnswerRevealed(uint256 indexed gameIdx, uint256 correctChoiceIdx, uint256 jobId);

    /// @notice Emitted when a peer is paid.
    /// @param gameIdx The game.
    /// @param caller The peer's account.
    /// @param peerId The peer.
    /// @param correctChoiceTokensIn Its shares of the choice that won; 0 if it was refunded.
    /// @param betTokensOut Tokens paid.
    event RewardClaimed(
        uint256 indexed gameIdx,
        address caller,
        string peerId,
        uint256 correctChoiceTokensIn,
        uint256 betTokensOut
    );

    /// @notice Emitted when tokens are deposited for a peer's bets.
    /// @param peerKey Keccak of the peer id.
    /// @param from Who paid.
    /// @param peerId The peer.
    /// @param amount Tokens.
    event BetTokensDeposited(bytes32 indexed peerKey, address indexed from, string peerId, uint256 amount);

    /// @notice Emitted when a peer's account takes deposited tokens back.
    /// @param peerKey Keccak of the peer id.
    /// @param account The account.
    /// @param amount Tokens.
    event BetTokensWithdrawn(bytes32 indexed peerKey, address indexed account, uint256 amount);

    /// @notice Emitted when an account's deposit for bonds changes.
    /// @param account The account.
    /// @param deposit Tokens deposited now.
    event BondDepositChanged(address indexed account, uint256 deposit);

    /// @notice Emitted when the market behind this facade is bound, permanently.
    /// @param market The market.
    event MarketBound(address indexed market);

    /// @notice Thrown when a market is bound a second time.
    /// @param market The market behind this facade.
    error PrgMarket_AlreadyBound(address market);

    /// @notice Thrown when a market does not have this contract as its facade.
    /// @param market The market.
    /// @param facade Its facade.
    error PrgMarket_OtherFacade(address market, address facade);

    /// @notice Thrown when the sender does not speak for the peer.
    /// @param peerId The peer.
    /// @param account The account that does; zero if none does.
    error PrgMarket_NotPeerAccount(string peerId, address account);

    /// @notice Thrown when a deposit is too small.
    /// @param needed Tokens needed.
    /// @param deposited Tokens deposited.
    error PrgMarket_DepositTooSmall(uint256 needed, uint256 deposited);

    /// @notice Thrown when a deposit would overflow.
    /// @param amount Tokens to be added.
    /// @param deposited Tokens deposited.
    error PrgMarket_DepositTooLarge(uint256 amount, uint256 deposited);

    /// @notice Thrown when a round is announced whose clue is not proven.
    /// @param gameIdx The game.
    /// @param announced Rounds announced, and so the round whose clue is missing.
    error PrgMarket_ClueNotProven(uint256 gameIdx, uint256 announced);

    /// @notice Thrown when an answer is announced that is not proven, or twice.
    /// @param gameIdx The game.
    /// @param correctChoiceIdx The answer given.
    error PrgMarket_AnswerNotProven(uint256 gameIdx, uint256 correctChoiceIdx);

    /// @notice Opens a game with the default terms, the owner as its Judge; the bond is taken from the owner's deposit.
    /// @param roundCount Rounds, 1 to 32.
    /// @param choiceCount_ Choices, 2 to 16.
    /// @param merkleRoot Commits to clues and answer in the native form: see `IPredictionMarket.clueLeaf`.
    /// @return newGameIdx The game.
    function createNewGame(
        uint256 roundCount,
        uint256 choiceCount_,
        bytes32 merkleRoot
    ) external returns (uint256 newGameIdx);

    /// @notice Bets tokens deposited for a peer.
    /// @param gameIdx The game.
    /// @param peerId The peer; the caller must speak for it.
    /// @param roundIdx The round that takes bets now.
    /// @param choiceIdx The choice.
    /// @param bet Tokens.
    function guessAnswer(
        uint256 gameIdx,
        string calldata peerId,
        uint256 roundIdx,
        uint256 choiceIdx,
        uint256 bet
    ) external;

    /// @notice Announces the next round whose clue is proven. Only the owner. The announcement changes nothing: a game
    /// advances by time alone.
    /// @param gameIdx The game.
    function incrementRound(uint256 gameIdx) external;

    /// @notice Announces the answer that is proven. Only the owner.
    /// @param gameIdx The game.
    /// @param correctChoiceIdx The answer.
    /// @param jobId The owner's own reference.
    function revealAnswer(uint256 gameIdx, uint256 correctChoiceIdx, uint256 jobId) external;

    /// @notice Pays a peer's position to its account.
    /// @param gameIdx The game.
    /// @param peerId The peer; the caller must speak for it.
    function claimReward(uint256 gameIdx, string calldata peerId) external;

    /// @notice Deposits the caller's tokens for a peer's bets. Who speaks for the peer may bet or withdraw them.
    /// @param peerId The peer.
    /// @param account The account that the caller expects to speak for the peer; reverts if another one does.
    /// @param amount Tokens; this contract must be allowed to take them.
    function deposit(string calldata peerId, address account, uint256 amount) external;

    /// @notice Takes deposited tokens back.
    /// @param peerId The peer; the caller must speak for it.
    /// @param amount Tokens.
    function withdraw(string calldata peerId, uint256 amount) external;

    /// @notice Deposits the caller's tokens for bonds of games that it will open as the owner.
    /// @param amount Tokens; this contract must be allowed to take them.
    function depositBond(uint256 amount) external;

    /// @notice Takes back tokens deposited for bonds. Returned bonds are withdrawn at the market.
    /// @param amount Tokens.
    function withdrawBond(uint256 amount) external;

    /// @notice Binds this facade to its market, once. Only the owner.
    /// @param market_ A market whose `peerFacade` is this contract.
    function bindMarket(IPredictionMarket market_) external;

    /// @notice Tokens deposited for a peer and not bet.
    /// @param peerId The peer.
    /// @return balance Tokens.
    function betTokenBalance(string calldata peerId) external view returns (uint256 balance);

    /// @notice Tokens that an account deposited for bonds.
    /// @param account The account.
    /// @return balance Tokens.
    function bondDeposit(address account) external view returns (uint256 balance);

    /// @notice Number of choices.
    /// @param gameIdx The game.
    /// @return count Choices.
    function choiceCount(uint256 gameIdx) external view returns (uint256 count);

    /// @notice All shares of a choice.
    /// @param gameIdx The game.
    /// @param choiceIdx The choice.
    /// @return supply Shares.
    function choiceSupply(uint256 gameIdx, uint256 choiceIdx) external view returns (uint256 supply);

    /// @notice A peer's shares of a choice.
    /// @param gameIdx The game.
    /// @param choiceIdx The choice.
    /// @param peerId The peer.
    /// @return balance Shares.
    function choiceTokenBalance(
        uint256 gameIdx,
        uint256 choiceIdx,
        string calldata peerId
    ) external view returns (uint256 balance);

    /// @notice Shares that a bet buys.
    /// @param gameIdx The game.
    /// @param roundIdx A round that is, or was, open.
    /// @param choiceIdx The choice.
    /// @param bet Tokens.
    /// @return shares Shares.
    function choiceTokensOut(
        uint256 gameIdx,
        uint256 roundIdx,
        uint256 choiceIdx,
        uint256 bet
    ) external view returns (uint256 shares);

    /// @notice The round that takes bets now, or took them last.
    /// @param gameIdx The game.
    /// @return roundIdx The round.
    function currentRoundIdx(uint256 gameIdx) external view returns (uint256 roundIdx);

    /// @notice The price of a choice.
    /// @param gameIdx The game.
    /// @param roundIdx A round that is, or was, open; a future one reverts.
    /// @param choiceIdx The choice.
    /// @return priceIn18 1e18 fixed point.
    function price(uint256 gameIdx, uint256 roundIdx, uint256 choiceIdx) external view returns (uint256 priceIn18);

    /// @notice All stakes in a game.
    /// @param gameIdx The game.
    /// @return total Tokens.
    function totalBets(uint256 gameIdx) external view returns (uint256 total);

    /// @notice Status of a game.
    /// @param gameIdx The game.
    /// @return status 0 rounds are played, 1 the answer is proven and can be disputed, 2 a choice won, 3 refunds.
    function gameStatus(uint256 gameIdx) external view returns (uint8 status);

    /// @notice The market behind this facade.
    /// @return market The contract.
    function market() external view returns (IPredictionMarket market);
}
