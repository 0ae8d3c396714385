// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IPeerRegistry} from "./IPeerRegistry.sol";
import {IRounds} from "./IRounds.sol";

/// @title IStakes
/// @notice Holds the Nectar that evaluators stake for a seat, and proposers to commit tasks.
/// @dev A stake is of a peer and a duty; the account that speaks for the peer moves it. Every stake of a duty is as
/// large as any other when it is made. It leaves `UNBONDING_ROUNDS` after it was given notice of, so that it can't flee
/// what its owner did. Three contracts slash (votes, challenges, openings), and what they slash is burnt: whoever were
/// paid of it could slash itself through another account and lose less. Nobody can move a stake to another account, and
/// nothing is paused.
interface IStakes {
    /// @notice What a stake stands for.
    enum Duty {
        Evaluator,
        Proposer
    }

    /// @notice A peer's stake for a duty.
    /// @param amountWei What is left of it.
    /// @param freeFromRound First round in which it can be withdrawn; 0 while no notice was given.
    struct Stake {
        // slot 0
        uint128 amountWei;
        uint64 freeFromRound;
    }

    /// @notice Emitted when a stake is made, or made whole again.
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

    /// @notice Emitted when notice of a stake is given.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @param freeFromRound First round in which it can be withdrawn.
    event Unstaking(Duty indexed duty, bytes32 indexed peerKey, uint64 freeFromRound);

    /// @notice Emitted when a stake is withdrawn.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @param account The account that got it.
    /// @param amountWei How much.
    event Withdrawn(Duty indexed duty, bytes32 indexed peerKey, address indexed account, uint256 amountWei);

    /// @notice Emitted when a stake is slashed; what was lost is burnt, but for what `Compensated` says.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @param slasher The contract that slashed.
    /// @param lostWei What was lost.
    /// @param amountWei What is left.
    event Slashed(
        Duty indexed duty,
        bytes32 indexed peerKey,
        address indexed slasher,
        uint256 lostWei,
        uint256 amountWei
    );

    /// @notice Emitted when half of a slash is paid to who was right in having it.
    /// @param duty What the stake was for.
    /// @param peerKey The peer.
    /// @param account Who is paid.
    /// @param amountWei How much.
    event Compensated(Duty indexed duty, bytes32 indexed peerKey, address indexed account, uint256 amountWei);

    /// @notice Emitted once, when the contracts that Nectar and slashes come from are fixed.
    /// @param nectar The token.
    /// @param rewardVotes Seats who stakes, and slashes for absences.
    /// @param challenges Slashes for votes that were overturned.
    /// @param openings Slashes proposers for tasks at fault.
    /// @param bootstrapRounds First round in which seats and tasks need stakes.
    event Wired(address nectar, address rewardVotes, address challenges, address openings, uint64 bootstrapRounds);

    /// @notice Thrown when the wiring is called by another account than the deployer, or for the second time.
    /// @param account The sender.
    error Stakes_NotWirable(address account);

    /// @notice Thrown when the sender does not speak for the peer.
    /// @param peerKey The peer.
    /// @param account The sender.
    error Stakes_NotPeerAccount(bytes32 peerKey, address account);

    /// @notice Thrown when a stake that is whole is staked again.
    /// @param duty What for.
    /// @param peerKey The peer.
    error Stakes_Whole(Duty duty, bytes32 peerKey);

    /// @notice Thrown when there is no stake to give notice of, or notice was given.
    /// @param duty What for.
    /// @param peerKey The peer.
    error Stakes_NotStaked(Duty duty, bytes32 peerKey);

    /// @notice Thrown when a stake is withdrawn too early, or without notice (`freeFromRound` 0), or there is none.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @param freeFromRound First round in which it can be.
    /// @param currentRound The current round.
    error Stakes_NotFree(Duty duty, bytes32 peerKey, uint64 freeFromRound, uint64 currentRound);

    /// @notice Thrown when a stake is slashed or held by another account than a slasher.
    /// @param account The sender.
    error Stakes_NotSlasher(address account);

    /// @notice Fixes the contracts that come after this one. The deployer, once.
    /// @param nectar The token.
    /// @param rewardVotes Seats who stakes, and slashes for absences.
    /// @param challenges Slashes for votes that were overturned.
    /// @param openings Slashes proposers for tasks at fault.
    function wire(address nectar, address rewardVotes, address challenges, address openings) external;

    /// @notice Stakes what is missing to the full amount, takes back a notice, and seats an evaluator from the next
    /// round on. Moves Nectar of the sender, which must have allowed it. The sender must speak for the peer.
    /// @param duty What for.
    /// @param peerKey The peer.
    function stake(Duty duty, bytes32 peerKey) external;

    /// @notice Gives notice: from the next round on the evaluator has no seat, and the proposer commits no tasks. The
    /// sender must speak for the peer.
    /// @param duty What for.
    /// @param peerKey The peer.
    function unstake(Duty duty, bytes32 peerKey) external;

    /// @notice Pays a stake back to the account that speaks for the peer, once its time is up; anyone may call.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @return amountWei How much.
    function withdraw(Duty duty, bytes32 peerKey) external returns (uint256 amountWei);

    /// @notice Takes a share of a stake, or what is left of it, and burns it, or half of it. No stake gives 0.
    /// Slashers only. An evaluator that is left with less than `MIN_SHARE_MILLI` of the full amount loses its seat from
    /// the next round on.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @param milli Thousandths of the full amount.
    /// @param wronged Is paid half of what is lost; 0 for nobody.
    /// @return lostWei What was lost.
    /// @return isEnough Whether what is left still stands for the duty.
    function slash(
        Duty duty,
        bytes32 peerKey,
        uint16 milli,
        address wronged
    ) external returns (uint256 lostWei, bool isEnough);

    /// @notice A peer's stake for a duty.
    /// @param duty What for.
    /// @param peerKey The peer.
    /// @return held The stake.
    function stakeOf(Duty duty, bytes32 peerKey) external view returns (Stake memory held);

    /// @notice Whether a peer may commit tasks for a round: any during bootstrap, else one that stakes enough and has
    /// not given notice.
    /// @param peerKey The peer.
    /// @param round The round.
    /// @return may Whether it may.
    function mayPropose(bytes32 peerKey, uint64 round) external view returns (bool may);

    /// @notice The full amount for a duty.
    /// @param duty What for.
    /// @return amountWei Nectar.
    function fullStakeOf(Duty duty) external view returns (uint256 amountWei);

    /// @notice All stakes together.
    /// @return amountWei Nectar.
    function totalStaked() external view returns (uint256 amountWei);

    /// @notice Whether a contract slashes.
    /// @param account The contract.
    /// @return is_ Whether it does.
    function isSlasher(address account) external view returns (bool is_);

    /// @notice First round in which seats and tasks need stakes: in those before, seats are given by a role.
    /// @return round The round.
    function bootstrapRounds() external view returns (uint64 round);

    /// @notice Rounds from notice until a stake can be withdrawn: longer than everything takes that may slash it.
    /// @return rounds_ Rounds.
    function UNBONDING_ROUNDS() external view returns (uint64 rounds_);

    /// @notice What must be left of a stake after slashes for it to stand for its duty.
    /// @return milli Thousandths of the full amount.
    function MIN_SHARE_MILLI() external view returns (uint16 milli);

    /// @notice The token; 0 before the wiring.
    /// @return nectar The contract.
    function token() external view returns (IERC20 nectar);

    /// @notice The contract that seats who stakes; 0 before the wiring.
    /// @return votes The contract.
    function rewardVotes() external view returns (address votes);

    /// @notice The contract that slashes for votes that were overturned; 0 before the wiring.
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
