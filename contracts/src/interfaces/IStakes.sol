// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IPeerRegistry} from "./IPeerRegistry.sol";
import {IRounds} from "./IRounds.sol";

/// @title IStakes
/// @notice Holds the Nectar that evaluators stake for a seat, and proposers to commit tasks.
/// @dev A stake belongs to a peer and a duty; the account that speaks for the peer controls it. All stakes of a duty
/// are equal when they are made. A stake can be withdrawn `UNBONDING_ROUNDS` after notice, so that it cannot escape
/// slashing. Three contracts slash (votes, challenges, openings). What they slash is burnt: if it were paid out, a
/// staker could slash itself through another account and lose less. Stakes cannot be moved to another account, and
/// nothing can be paused.
interface IStakes {
    /// @notice What a stake is for.
    enum Duty {
        Evaluator,
        Proposer
    }

    /// @notice A peer's stake for a duty.
    /// @param amountWei Amount left.
    /// @param freeFromRound First round in which it can be withdrawn; 0 before notice.
    struct Stake {
        // slot 0
        uint128 amountWei;
        uint64 freeFromRound;
    }

    /// @notice Emitted when a stake is made or topped up.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @param account The account that paid.
    /// @param addedWei What was added.
    /// @param amountWei The stake.
    event Staked(
        Duty indexed duty,
        bytes32 indexed peerKey,
        address indexed account,
        uint256 addedWei,
        uint256 amountWei
    );

    /// @notice Emitted when notice is given for a stake.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @param freeFromRound First round in which it can be withdrawn.
    event Unstaking(Duty indexed duty, bytes32 indexed peerKey, uint64 freeFromRound);

    /// @notice Emitted when a stake is withdrawn.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @param account The recipient.
    /// @param amountWei Amount.
    event Withdrawn(Duty indexed duty, bytes32 indexed peerKey, address indexed account, uint256 amountWei);

    /// @notice Emitted when a stake is slashed; the loss is burnt, less the amount in `Compensated`.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @param slasher The contract that slashed.
    /// @param lostWei Amount lost.
    /// @param amountWei Amount left.
    event Slashed(
        Duty indexed duty,
        bytes32 indexed peerKey,
        address indexed slasher,
        uint256 lostWei,
        uint256 amountWei
    );

    /// @notice Emitted when half of a slash is paid to the account that was wronged.
    /// @param duty What the stake was for.
    /// @param peerKey The peer.
    /// @param account The recipient.
    /// @param amountWei Amount.
    event Compensated(Duty indexed duty, bytes32 indexed peerKey, address indexed account, uint256 amountWei);

    /// @notice Emitted once, when the token and the slashing contracts are fixed.
    /// @param nectar The token.
    /// @param rewardVotes Seats those who stake, and slashes for absences.
    /// @param challenges Blames seats through `rewardVotes`.
    /// @param openings Slashes proposers for tasks at fault.
    /// @param bootstrapRounds First round in which seats and tasks need stakes.
    event Wired(address nectar, address rewardVotes, address challenges, address openings, uint64 bootstrapRounds);

    /// @notice Thrown when an account other than the deployer wires the contract, or it is wired twice.
    /// @param account The sender.
    error Stakes_NotWirable(address account);

    /// @notice Thrown when the sender does not speak for the peer.
    /// @param peerKey The peer.
    /// @param account The sender.
    error Stakes_NotPeerAccount(bytes32 peerKey, address account);

    /// @notice Thrown when a full stake is topped up.
    /// @param duty What for.
    /// @param peerKey The peer.
    error Stakes_Whole(Duty duty, bytes32 peerKey);

    /// @notice Thrown when there is no stake, or notice was already given.
    /// @param duty What for.
    /// @param peerKey The peer.
    error Stakes_NotStaked(Duty duty, bytes32 peerKey);

    /// @notice Thrown when a stake is withdrawn too early, or without notice (`freeFromRound` 0), or there is none.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @param freeFromRound First round in which it can be.
    /// @param currentRound The current round.
    error Stakes_NotFree(Duty duty, bytes32 peerKey, uint64 freeFromRound, uint64 currentRound);

    /// @notice Thrown when the sender is not a slashing contract.
    /// @param account The sender.
    error Stakes_NotSlasher(address account);

    /// @notice Sets the contracts that are deployed after this one. Only the deployer, once.
    /// @param nectar The token.
    /// @param rewardVotes Seats those who stake, and slashes for absences.
    /// @param challenges Blames seats through `rewardVotes`.
    /// @param openings Slashes proposers for tasks at fault.
    function wire(address nectar, address rewardVotes, address challenges, address openings) external;

    /// @notice Tops up the stake to the full amount, cancels a notice, and seats an evaluator from the next round on.
    /// Transfers Nectar from the sender, which must have approved it. The sender must speak for the peer.
    /// @param duty What for.
    /// @param peerKey The peer.
    function stake(Duty duty, bytes32 peerKey) external;

    /// @notice Gives notice: from the next round on the evaluator has no seat. The proposer can have committed to
    /// secrets up to the round after that, so it may still propose for those two, and not for later ones. The sender
    /// must speak for the peer.
    /// @param duty What for.
    /// @param peerKey The peer.
    function unstake(Duty duty, bytes32 peerKey) external;

    /// @notice Returns a stake to the account that speaks for the peer, after the unbonding period; anyone may call.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @return amountWei Amount.
    function withdraw(Duty duty, bytes32 peerKey) external returns (uint256 amountWei);

    /// @notice Slashes a share of the full amount, or all that is left if that is less, and burns it, or half of it.
    /// Without a stake it returns 0. Only slashing contracts. An evaluator left with less than `MIN_SHARE_MILLI` of the
    /// full amount loses its seat from the next round on.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @param milli Thousandths of the full amount.
    /// @param wronged Recipient of half of the loss; 0 for nobody.
    /// @return lostWei Amount lost.
    function slash(Duty duty, bytes32 peerKey, uint16 milli, address wronged) external returns (uint256 lostWei);

    /// @notice A peer's stake for a duty.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @return held The stake.
    function stakeOf(Duty duty, bytes32 peerKey) external view returns (Stake memory held);

    /// @notice Whether a peer may commit to a secret for a round, two rounds ahead, and so propose its tasks: any peer
    /// during bootstrap; later, one with a sufficient stake, whose notice has not ended the duty before that round.
    /// @param peerKey The peer.
    /// @param round The round.
    /// @return may Whether it may.
    function mayPropose(bytes32 peerKey, uint64 round) external view returns (bool may);

    /// @notice The full amount for a duty.
    /// @param duty What for.
    /// @return amountWei Nectar.
    function fullStakeOf(Duty duty) external view returns (uint256 amountWei);

    /// @notice First round in which seats and tasks need stakes; before it, a role gives seats.
    /// @return round The round.
    function bootstrapRounds() external view returns (uint64 round);

    /// @notice Rounds from notice until a stake can be withdrawn: longer than anything that may slash it takes.
    /// @return rounds_ Rounds.
    function UNBONDING_ROUNDS() external view returns (uint64 rounds_);

    /// @notice Least part of the full amount that suffices for the duty after slashes.
    /// @return milli Thousandths of the full amount.
    function MIN_SHARE_MILLI() external view returns (uint16 milli);

    /// @notice The token; 0 before the wiring.
    /// @return nectar The contract.
    function token() external view returns (IERC20 nectar);

    /// @notice The contract that seats those who stake; 0 before the wiring.
    /// @return votes The contract.
    function rewardVotes() external view returns (address votes);

    /// @notice The contract that rules on outcomes and blames seats; 0 before the wiring.
    /// @return challenges_ The contract.
    function challenges() external view returns (address challenges_);

    /// @notice The contract that slashes proposers; 0 before the wiring.
    /// @return openings_ The contract.
    function openings() external view returns (address openings_);

    /// @notice The registry that says who speaks for a peer.
    /// @return registry The contract.
    function peerRegistry() external view returns (IPeerRegistry registry);

    /// @notice The clock.
    /// @return clock The contract.
    function rounds() external view returns (IRounds clock);
}
