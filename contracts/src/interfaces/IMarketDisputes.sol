// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IJury} from "./IJury.sol";
import {ISeats} from "./ISeats.sol";

/// @title IMarketDisputes
/// @notice The part of `IPredictionMarket` by which a committee of evaluators judges a disputed answer.
interface IMarketDisputes is IJury {
    /// @notice State of a dispute.
    struct DisputeView {
        address disputer;
        uint40 openedAtSec;
        /// @notice Block whose hash draws the committee.
        uint64 seedBlock;
        bool drawn;
        uint8 revealed;
        bytes32[] committee;
    }

    /// @notice Emitted when a game's answer is disputed.
    /// @param gameId The game.
    /// @param disputer Who put up a bond against it.
    /// @param seedBlock Block whose hash draws the committee.
    event GameDisputed(uint256 indexed gameId, address indexed disputer, uint64 seedBlock);

    /// @notice Emitted when the committee of a dispute is drawn.
    /// @param gameId The game.
    /// @param committee Keys of the seats.
    event CommitteeDrawn(uint256 indexed gameId, bytes32[] committee);

    /// @notice Emitted when a seat commits to its verdict.
    /// @param gameId The game.
    /// @param seatKey The seat.
    /// @param commitment See `commitVerdict`.
    event VerdictCommitted(uint256 indexed gameId, bytes32 indexed seatKey, bytes32 commitment);

    /// @notice Emitted when a seat reveals its verdict.
    /// @param gameId The game.
    /// @param seatKey The seat.
    /// @param choice The right choice; `choiceCount` for none.
    event VerdictRevealed(uint256 indexed gameId, bytes32 indexed seatKey, uint8 choice);

    /// @notice Thrown when a game without bets is disputed.
    /// @param gameId The game.
    error PredictionMarket_NothingAtStake(uint256 gameId);

    /// @notice Thrown when the committee is drawn twice.
    /// @param gameId The game.
    error PredictionMarket_AlreadyDrawn(uint256 gameId);

    /// @notice Thrown when the hash that draws a committee is unavailable: it is too early, or the chain no longer has
    /// it.
    /// @param seedBlock Block whose hash it is.
    /// @param blockNumber The current block.
    error PredictionMarket_NoSeed(uint256 seedBlock, uint256 blockNumber);

    /// @notice Thrown when a verdict is sent outside its time window.
    /// @param timestamp The block's time, Unix time, seconds.
    /// @param fromSec First second of the window.
    /// @param untilSec First second after it.
    error PredictionMarket_NotNow(uint256 timestamp, uint256 fromSec, uint256 untilSec);

    /// @notice Disputes the answer, with a bond as large as the Judge's. Possible once per game.
    /// @param gameId The game.
    function dispute(uint256 gameId) external;

    /// @notice Draws the committee of a dispute, up to five seats that have no part in the game. Anyone may call,
    /// once the seed's block is there and before verdicts are due.
    /// @dev Reverts with the error of `seats` once it no longer has those of the dispute's round: `RewardVotes`
    /// overwrites them with a change five rounds later. Then nobody is drawn, and the answer stands.
    /// @param gameId The game.
    function drawCommittee(uint256 gameId) external;

    /// @notice Commits to a verdict.
    /// @dev `commitment` = `keccak256(abi.encode(chainId, address(this), gameId, seatKey, choice, salt))`: `uint256,
    /// address, uint256, bytes32, uint8, bytes32`.
    /// @param gameId The game.
    /// @param seatKey A seat of the committee; the caller must speak for it.
    /// @param commitment The hash.
    function commitVerdict(uint256 gameId, bytes32 seatKey, bytes32 commitment) external;

    /// @notice Reveals a verdict, after the time to commit has passed.
    /// @param gameId The game.
    /// @param seatKey The seat; the caller must speak for it.
    /// @param choice The right choice; `choiceCount` for none of them.
    /// @param salt The salt of the commitment.
    function revealVerdict(uint256 gameId, bytes32 seatKey, uint8 choice, bytes32 salt) external;

    /// @notice A game's dispute.
    /// @param gameId The game.
    /// @return state See `DisputeView`; the disputer is zero if there is no dispute.
    function disputeOf(uint256 gameId) external view returns (DisputeView memory state);

    /// @notice Who can be drawn to judge a dispute.
    /// @return seats The contract.
    function seats() external view returns (ISeats seats);
}
